import type { maintenanceEn } from "./texts.en.ts";

export const maintenanceDe: Readonly<Record<keyof typeof maintenanceEn, string>> = {
  "maintenance.begin": "Wartung",
  "maintenance.title": "Wartung von {name}",
  "maintenance.intro":
    "Während der Wartung wird kein Alarm ausgelöst und niemand benachrichtigt. Daten werden weiter gespeichert. Bedingungen, die am Ende noch zutreffen, lösen dann einen Alarm aus.",
  "maintenance.gatewayIntro": "Sie gilt auch für die Geräte hinter diesem Gateway.",
  "maintenance.length": "Wie lange",
  "maintenance.minutes30": "30 Minuten",
  "maintenance.hour1": "1 Stunde",
  "maintenance.hours4": "4 Stunden",
  "maintenance.day1": "1 Tag",
  "maintenance.days7": "7 Tage",
  "maintenance.own": "Bis",
  "maintenance.until": "Bis wann",
  "maintenance.untilPast": "Wählen Sie eine Zeit in der Zukunft.",
  "maintenance.reason": "Grund",
  "maintenance.reasonHint": "Andere Benutzer sehen den Grund während der Wartung.",
  "maintenance.start": "Wartung beginnen",
  "maintenance.change": "Ändern",
  "maintenance.end": "Wartung beenden",
  "maintenance.banner": "In Wartung bis {until}: Es werden keine Alarme ausgelöst.",
  "maintenance.ofGateway": "Das Gateway ist bis {until} in Wartung: Es werden keine Alarme ausgelöst.",
  "maintenance.who": "{by}, seit {since}",
  "maintenance.begun": "Die Wartung hat begonnen.",
  "maintenance.ended": "Die Wartung ist beendet.",
};
