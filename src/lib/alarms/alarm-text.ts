import type { Language } from "../strings/preferred-language.ts";
import { renderIn } from "../texts/catalogues.ts";
import type { Text } from "../texts/text.ts";
import { type MessagePart, messageIn } from "./message-parts.ts";
import { type AlarmSeverity, severitiesDescending } from "./severity.ts";

/* Texts about alarms in mails and messages. */

type Trigger = "CREATED" | "ESCALATED" | "CLEARED";

export interface AlarmLine {
  readonly trigger: Trigger;
  readonly severity: AlarmSeverity;
  readonly level: number;
  readonly alarmType: string;
  readonly deviceName: string;
  readonly message: string;
  readonly messageParts?: readonly MessagePart[];
  /** Reason why an alarm was cleared. */
  readonly cause?: Text;
}

export interface AlarmCounts {
  readonly total: number;
  readonly bySeverity: Readonly<Partial<Record<AlarmSeverity, number>>>;
}

/** Max. characters of a message, which fit into two or three short messages. */
const TEXT_MAX = 400;

const triggers: Record<Language, Record<Trigger, string>> = {
  en: { CREATED: "raised", ESCALATED: "escalated", CLEARED: "cleared" },
  de: { CREATED: "ausgelöst", ESCALATED: "eskaliert", CLEARED: "beendet" },
};

export const severityWord = (severity: AlarmSeverity, language: Language): string =>
  renderIn(language, { code: `alarm_severity.${severity}`, params: {} });
export const triggerWord = (trigger: Trigger, language: Language): string => triggers[language][trigger];

const cut = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text);

function stateOf({ trigger, level }: AlarmLine, language: Language): string {
  if (trigger === "CREATED") return "";
  const word = triggerWord(trigger, language);
  if (trigger === "CLEARED") return ` (${word})`;
  return ` (${word}, ${language === "de" ? "Stufe" : "level"} ${level})`;
}

export function lineText(line: AlarmLine, language: Language): string {
  const { severity, alarmType, deviceName } = line;
  const message = messageIn(line, language);
  const head = `${severityWord(severity, language)}: ${alarmType}, ${deviceName}${stateOf(line, language)}`;
  return cut(message === "" || message === alarmType ? head : `${head}. ${message}`);
}

/** Returns the counts as `3 × Critical, 211 × Warning`, most severe first. */
export const countsText = ({ bySeverity }: Pick<AlarmCounts, "bySeverity">, language: Language): string =>
  severitiesDescending
    .flatMap((severity) => {
      const count = bySeverity[severity];
      return count === undefined ? [] : `${count} × ${severityWord(severity, language)}`;
    })
    .join(", ");

export function digestText(
  batch: AlarmCounts & { readonly worst: readonly AlarmLine[] },
  language: Language,
): string {
  const { total, worst } = batch;
  const head = language === "de" ? `${total} weitere Alarmmeldungen` : `${total} more alarm messages`;
  const [first] = worst;
  const named = first === undefined ? "" : ` ${lineText(first, language)}`;
  return cut(`${head} (${countsText(batch, language)}).${named}`);
}

export const testText = (language: Language): string =>
  language === "de"
    ? "Testnachricht: So kommen Alarme bei Ihnen an."
    : "Test message: this is how alarms reach you.";
