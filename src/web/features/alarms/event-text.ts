import { t } from "../../platform/i18n/i18n.ts";
import { language } from "../../platform/preferences.ts";
import type { AlarmEvent } from "./alarms-api.ts";

/** What the gateway itself writes into a history, in German; `$1` is what it fills in. */
const GERMAN: readonly (readonly [pattern: RegExp, german: string])[] = [
  [/^Level (\d) → (\d)$/, "Stufe $1 → $2"],
  [/^Acknowledged by (.+)$/s, "Quittiert von $1"],
  [/^Cleared by (.+)$/s, "Beendet von $1"],
];

const TOLD = /^(CREATED|REOPENED|SEVERITY_CHANGED|ESCALATED|CLEARED): (.+)$/s;

function toldText(occasion: AlarmEvent["eventType"], ways: string): string {
  const german = ways
    .replace(/(^|, )message to /g, "$1Nachricht an ")
    .replace(/(^|, )e-mail to /g, "$1E-Mail an ")
    .replace(/ \(gathered\)(?=$|, | and )/g, " (gesammelt)")
    .replace(/ and (\d+) more$/, " und $1 weitere");
  return `${t(`alarmEvent.${occasion}`)}: ${language.value === "de" ? german : ways}`;
}

/** What an entry of an alarm's history says, in the reader's words; comments and messages of rules stay as they are. */
export function eventText({ eventType, message }: Pick<AlarmEvent, "eventType" | "message">): string {
  if (eventType === "NOTIFIED") {
    const [, occasion, ways] = TOLD.exec(message) ?? [];
    return ways === undefined ? message : toldText(occasion as AlarmEvent["eventType"], ways);
  }
  if (language.value !== "de" || !["ESCALATED", "ACK", "CLEARED"].includes(eventType)) return message;
  const known = GERMAN.find(([pattern]) => pattern.test(message));
  return known === undefined ? message : message.replace(known[0], known[1]);
}
