import { digestText, lineText, testText, triggerWord } from "../../lib/alarms/alarm-text.ts";
import { messageIn } from "../../lib/alarms/message-parts.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MailSender } from "../mail/mail.types.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { OutboundRequest } from "../outbound/outbound.types.ts";
import type { User } from "../users/users.types.ts";
import { alarmLink } from "./alarm-link.ts";
import { fillBody, fillUrl, type TemplateValues } from "./message-template.ts";
import type { Digest, Messaging, NotificationLine, NotificationSettings } from "./notifications.types.ts";

const MESSAGING_TIMEOUT_MS = 15_000;
export const MESSAGING_SOURCE = { kind: "notification", id: "messaging" } as const;

/** Creates the writer of mails and messages to their outboxes, in the caller's transaction, so that they exist if and only if their event does. */
export function createNotifier(deps: {
  mail: MailSender;
  outbound: Pick<OutboundService, "enqueue" | "sendNow">;
  /** URL of the list of alarms in the console, if known. */
  alarmsUrl: string | undefined;
}) {
  function requestOf(
    to: { readonly user: User; readonly tenantId: TenantId; readonly messaging: Messaging },
    values: TemplateValues,
  ): OutboundRequest {
    const { user, tenantId } = to;
    const { url, method, headers, contentType, body } = to.messaging;
    const all = { phone: user.notificationPhone, fullName: user.fullName, email: user.email, ...values };
    return {
      tenantId,
      source: MESSAGING_SOURCE,
      target: { url: fillUrl(url, all), method, headers, timeoutMs: MESSAGING_TIMEOUT_MS, secret: null },
      orderKey: user.userId,
      contentType,
      body: fillBody(body, contentType, all),
    };
  }

  const valuesOf = (
    line: NotificationLine,
    text: string,
    { language }: NotificationSettings,
  ): TemplateValues => ({
    text,
    severity: line.severity,
    trigger: triggerWord(line.trigger, language),
    level: String(line.level),
    alarmType: line.alarmType,
    deviceName: line.deviceName,
    message: messageIn(line, language),
    time: line.at,
  });

  const shared = (
    tenantId: TenantId,
    user: User,
    { language, timezone }: NotificationSettings,
    alarmId?: string,
  ) => ({
    to: { tenantId, to: user.email, language },
    values: { fullName: user.fullName, timezone, url: alarmLink(deps.alarmsUrl, alarmId) ?? null },
  });

  return {
    mailLine(
      tenantId: TenantId,
      user: User,
      { line, settings }: { line: NotificationLine; settings: NotificationSettings },
    ) {
      const { to, values } = shared(tenantId, user, settings, line.alarmId);
      deps.mail.enqueue({ ...to, template: "alarm", values: { ...values, ...line } });
    },
    mailDigest(
      tenantId: TenantId,
      user: User,
      { digest, settings }: { digest: Digest; settings: NotificationSettings },
    ) {
      const { to, values } = shared(tenantId, user, settings);
      deps.mail.enqueue({ ...to, template: "alarm_digest", values: { ...values, ...digest } });
    },
    mailTest: (tenantId: TenantId, user: User, settings: NotificationSettings): string => {
      const { to, values } = shared(tenantId, user, settings);
      return deps.mail.enqueue({ ...to, template: "notification_test", values });
    },
    messageLine(
      to: { user: User; tenantId: TenantId; messaging: Messaging },
      line: NotificationLine,
      settings: NotificationSettings,
    ) {
      const text = lineText(line, settings.language);
      deps.outbound.enqueue([requestOf(to, valuesOf(line, text, settings))]);
    },
    messageDigest(
      to: { user: User; tenantId: TenantId; messaging: Messaging },
      digest: Digest,
      settings: NotificationSettings,
    ) {
      const [worst] = digest.worst;
      if (worst === undefined) return;
      const text = digestText(digest, settings.language);
      deps.outbound.enqueue([requestOf(to, valuesOf(worst, text, settings))]);
    },
    messageTest(
      to: { user: User; tenantId: TenantId; messaging: Messaging },
      settings: NotificationSettings,
      time: string,
    ) {
      const text = testText(settings.language);
      const line = { trigger: "CREATED", severity: "WARNING", level: 1, at: time } as const;
      const named = { alarmType: "Test", deviceName: "Test", message: text };
      return deps.outbound.sendNow(requestOf(to, valuesOf({ ...line, ...named }, text, settings)));
    },
  };
}

export type Notifier = ReturnType<typeof createNotifier>;
