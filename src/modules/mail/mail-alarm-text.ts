import { type AlarmLine, countsText, lineText, severityWord } from "../../lib/alarms/alarm-text.ts";
import { messageIn } from "../../lib/alarms/message-parts.ts";
import { renderIn } from "../../lib/texts/catalogues.ts";
import type { MailContent, MailLanguage, MailPart, MailTemplates } from "./mail.types.ts";

/** Templates of mails about alarms. */
export type AlarmMails = {
  readonly [Template in "alarm" | "alarm_digest" | "notification_test"]: (
    values: MailTemplates[Template],
    product: string,
  ) => MailContent;
};

type Dated = AlarmLine & { readonly at: string };

const text = (words: string): MailPart => ({ kind: "text", text: words });
const note = (words: string): MailPart => ({ kind: "note", text: words });

const words = {
  en: {
    locale: "en-GB",
    hello: "Hello",
    openOne: "Open alarm",
    open: "Open alarms",
    why: "You get this mail because of your notification settings.",
    device: "Device",
    time: "Time",
    testSubject: (product: string) => `Test message of ${product}`,
    test: "this is a test message: this is where alarms reach you.",
    digestSubject: (total: number) => `${total} more alarm messages`,
    digest: (total: number, counts: string) =>
      `${total} more alarm messages came within a short time and were gathered: ${counts}.`,
    worst: "The most severe of them:",
    level: (level: number) => `level ${level}`,
    states: { CREATED: "Alarm", ESCALATED: "Alarm escalated", CLEARED: "Alarm over" },
  },
  de: {
    locale: "de-DE",
    hello: "Guten Tag",
    openOne: "Alarm öffnen",
    open: "Alarme öffnen",
    why: "Sie erhalten diese Nachricht wegen Ihrer Benachrichtigungseinstellungen.",
    device: "Gerät",
    time: "Zeit",
    testSubject: (product: string) => `Testnachricht von ${product}`,
    test: "das ist eine Testnachricht: Hier kommen Alarme bei Ihnen an.",
    digestSubject: (total: number) => `${total} weitere Alarmmeldungen`,
    digest: (total: number, counts: string) =>
      `${total} weitere Alarmmeldungen sind in kurzer Zeit eingegangen und wurden gesammelt: ${counts}.`,
    worst: "Die schwersten davon:",
    level: (level: number) => `Stufe ${level}`,
    states: { CREATED: "Alarm", ESCALATED: "Alarm eskaliert", CLEARED: "Alarm beendet" },
  },
} as const;

export function alarmMails(language: MailLanguage): AlarmMails {
  const own = words[language];

  function time(iso: string, timeZone: string): string {
    const format = { dateStyle: "medium", timeStyle: "medium", timeZone } as const;
    return `${new Intl.DateTimeFormat(own.locale, format).format(new Date(iso))} (${timeZone})`;
  }
  const greet = (fullName: string) => text(fullName === "" ? `${own.hello},` : `${own.hello} ${fullName},`);
  const end = (url: string | null, label: string = own.open): MailPart[] => [
    ...(url === null ? [] : [{ kind: "link", label, url } as const]),
    note(own.why),
  ];
  const stateOf = ({ trigger, level }: AlarmLine) =>
    trigger === "ESCALATED" ? `${own.states.ESCALATED}, ${own.level(level)}` : own.states[trigger];
  const entry = (line: Dated, timezone: string): MailPart =>
    text(`${lineText(line, language)} – ${time(line.at, timezone)}`);

  return {
    alarm: ({ url, timezone, ...line }) => ({
      subject: `${severityWord(line.severity, language)}: ${line.alarmType}, ${line.deviceName} (${stateOf(line)})`,
      parts: [
        text(`${stateOf(line)}: ${line.alarmType}`),
        text(messageIn(line, language)),
        ...(line.cause === undefined ? [] : [text(`${renderIn(language, line.cause)}.`)]),
        text(`${severityWord(line.severity, language)} · ${own.device}: ${line.deviceName}`),
        text(`${own.time}: ${time(line.at, timezone)}`),
        ...end(url, own.openOne),
      ],
    }),
    alarm_digest: ({ fullName, url, timezone, total, bySeverity, worst }) => ({
      subject: `${own.digestSubject(total)}: ${countsText({ bySeverity }, language)}`,
      parts: [
        greet(fullName),
        text(own.digest(total, countsText({ bySeverity }, language))),
        text(own.worst),
        ...worst.map((line) => entry(line, timezone)),
        ...end(url),
      ],
    }),
    notification_test: ({ fullName, url }, product) => ({
      subject: own.testSubject(product),
      parts: [greet(fullName), text(own.test), ...end(url)],
    }),
  };
}
