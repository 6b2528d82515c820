export const annotationsEn = {
  "annotation.switch": "Alarms and commands",
  "annotation.alarm": "{severity} “{name}” of {device}: {from} – {to}",
  "annotation.command": "Command {method}, {state}: {time}",
  "annotation.stillOpen": "still open",
} as const;
