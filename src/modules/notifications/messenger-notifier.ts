import { digestText, lineText, severityWord, testText } from "../../lib/alarms/alarm-text.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { OutboundRequest } from "../outbound/outbound.types.ts";
import { alarmLink } from "./alarm-link.ts";
import { bodyOf } from "./messenger-presets.ts";
import type { Messenger } from "./messengers.resource.ts";
import type { MessengerMessage } from "./messengers.types.ts";
import type { Digest, NotificationLine } from "./notifications.types.ts";

const TIMEOUT_MS = 15_000;

export function wantsMessage(
  { isEnabled, severities, triggers }: Messenger,
  {
    severity,
    formerSeverity,
    trigger,
  }: Pick<NotificationLine, "severity" | "trigger"> & {
    formerSeverity: NotificationLine["severity"] | null;
  },
): boolean {
  return (
    isEnabled &&
    triggers.includes(trigger) &&
    severities.includes(severity) &&
    !(formerSeverity !== null && severities.includes(formerSeverity))
  );
}

/** Writes messages to messengers into the delivery queue, in the transaction of the caller. */
export function createMessengerNotifier(deps: {
  outbound: Pick<OutboundService, "enqueue" | "sendNow">;
  /** URL of the list of alarms in the console, if known. */
  alarmsUrl: string | undefined;
}) {
  function requestOf(
    messenger: Messenger,
    message: Omit<MessengerMessage, "link">,
    alarmId?: string,
  ): OutboundRequest {
    const { tenantId, messengerId, kind, fields, language } = messenger;
    const url = alarmLink(deps.alarmsUrl, alarmId);
    const label = language === "de" ? "Alarm öffnen" : "Open alarm";
    return {
      tenantId,
      source: { kind: "notification", id: messengerId },
      target: { ...messenger.target, method: "POST", timeoutMs: TIMEOUT_MS, secret: null },
      orderKey: messengerId,
      contentType: "application/json",
      body: bodyOf(kind, fields, { ...message, link: url === undefined ? undefined : { url, label } }),
    };
  }

  return {
    sendLine(messenger: Messenger, line: NotificationLine): void {
      const { language } = messenger;
      const { severity, trigger, alarmType, alarmId } = line;
      const title = `${severityWord(severity, language)}: ${alarmType}`;
      const isOver = trigger === "CLEARED";
      const message = { title, text: lineText(line, language), severity, isOver };
      deps.outbound.enqueue([requestOf(messenger, message, alarmId)]);
    },
    sendDigest(messenger: Messenger, digest: Digest): void {
      const [worst] = digest.worst;
      if (worst === undefined) return;
      const { language } = messenger;
      const title = language === "de" ? `${digest.total} Alarmmeldungen` : `${digest.total} alarm messages`;
      const text = digestText(digest, language);
      deps.outbound.enqueue([
        requestOf(messenger, { title, text, severity: worst.severity, isOver: worst.trigger === "CLEARED" }),
      ]);
    },
    sendTest(messenger: Messenger) {
      const text = testText(messenger.language);
      const message = { title: "Lineside", text, severity: "WARNING", isOver: false } as const;
      return deps.outbound.sendNow(requestOf(messenger, message));
    },
  };
}

export type MessengerNotifier = ReturnType<typeof createMessengerNotifier>;
