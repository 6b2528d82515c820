import type { annotationsEn } from "./texts.en.ts";

export const annotationsDe: Readonly<Record<keyof typeof annotationsEn, string>> = {
  "annotation.switch": "Alarme und Befehle",
  "annotation.alarm": "{severity} „{name}“ von {device}: {from} – {to}",
  "annotation.command": "Befehl {method}, {state}: {time}",
  "annotation.stillOpen": "noch offen",
};
