import { detail, invalid, limited } from "../../lib/core/domain-error.ts";
import type { TenantId, UserId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { isTimeZone } from "../../lib/time/time-zone.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { MailService } from "../mail/mail.service.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal, User } from "../users/users.types.ts";
import { type MessagingInput, readMessaging } from "./messaging-settings.ts";
import type { NotificationsRepository } from "./notifications.repository.ts";
import { type Channel, type NotificationSettings, notificationDefaults } from "./notifications.types.ts";
import type { Notifier } from "./notifier.ts";

const MAIL_WAIT_MS = 20_000;

export interface TestResult {
  readonly success: boolean;
  readonly text: Text;
  readonly status?: number;
  readonly response?: string;
}

export type NotificationSettingsChanges = Partial<Omit<NotificationSettings, "messaging">> & {
  readonly messaging?: MessagingInput | null | undefined;
};

export function createNotificationsService(deps: {
  repository: NotificationsRepository;
  users: Pick<UsersService, "findById">;
  tenants: Pick<TenantsService, "find">;
  notifier: Notifier;
  mail: Pick<MailService, "isDelivering" | "get">;
  outbound: Pick<OutboundService, "seal" | "refusalOf">;
  ensureMayTry: (principal: Principal) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
}) {
  const { repository, notifier, mail, clock, events } = deps;
  const settingsOf = (tenantId: TenantId): NotificationSettings =>
    repository.findSettings(tenantId) ?? notificationDefaults;

  /** Resolves once the mail's state has changed, or after a while. */
  function changed(mailId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.schedule(MAIL_WAIT_MS, resolve);
    const off = events.on("mail.changed", (mail) => {
      if (mail.mailId === mailId) resolve();
    });
    return promise.finally(() => {
      cancel();
      off();
    });
  }

  async function testMail(user: User, tenantId: TenantId): Promise<TestResult> {
    if (!mail.isDelivering) return { success: false, text: detail("notification_test.no_mail_server") };
    const mailId = notifier.mailTest(tenantId, user, settingsOf(tenantId));
    const read = () => mail.get({ tenantId, includesStrangers: false }, mailId);
    // The first change only says that it is queued.
    while (read().state === "QUEUED" && read().lastError === null) {
      const before = clock.monotonic();
      await changed(mailId);
      if (clock.monotonic() - before >= MAIL_WAIT_MS) break;
    }
    const { state, lastError } = read();
    if (state === "SENT")
      return { success: true, text: detail("notification_test.mailed", { to: user.email }) };
    const text =
      lastError === null
        ? detail("notification_test.mail_waiting")
        : detail("notification_test.mail_failed", { reason: lastError });
    return { success: false, text };
  }

  /**
   * Returns whether the principal operates the gateway. Only operators see the responses of an address, which could be any machine in the gateway's
   * network.
   */
  const isOperator = ({ role, tenantId, impersonator }: Principal): boolean =>
    role === "TENANT_OWNER" && impersonator === undefined && deps.tenants.find(tenantId)?.isHost === true;

  async function testMessage(user: User, principal: Principal): Promise<TestResult> {
    const { tenantId } = principal;
    const settings = settingsOf(tenantId);
    const { messaging } = settings;
    if (messaging === null) return { success: false, text: detail("notification_test.no_gateway") };
    if (user.notificationPhone === "") return { success: false, text: detail("notification_test.no_phone") };
    const sentAt = new Date(clock.now()).toISOString();
    const { status, error, body } = await notifier.messageTest(
      { user, tenantId, messaging },
      settings,
      sentAt,
    );
    const response = body !== "" && isOperator(principal) ? { response: body } : {};
    const said = { ...(status !== null && { status }), ...response };
    const text =
      error === null
        ? detail("notification_test.sent", { to: user.notificationPhone })
        : detail("notification_test.mail_failed", { reason: error });
    return { success: error === null, text, ...said };
  }

  return {
    settingsOf,
    isMailDelivering: () => mail.isDelivering,
    saveSettings(
      tenantId: TenantId,
      { messaging, ...changes }: NotificationSettingsChanges,
    ): NotificationSettings {
      const before = settingsOf(tenantId);
      if (changes.timezone !== undefined && !isTimeZone(changes.timezone))
        throw invalid("notifications.timezone");
      const { outbound } = deps;
      const refusalOf = (url: string) => outbound.refusalOf(tenantId, url);
      const read = (input: MessagingInput) =>
        readMessaging(input, { before: before.messaging, seal: outbound.seal, refusalOf });
      const after: NotificationSettings = {
        ...before,
        ...changes,
        ...(messaging !== undefined && { messaging: messaging && read(messaging) }),
      };
      repository.saveSettings(tenantId, after);
      return after;
    },
    /** Sends a test to the caller now and returns its result. */
    async test(principal: Principal, channel: Channel): Promise<TestResult> {
      const user = deps.users.findById(principal.userId);
      if (user === undefined) throw invalid("notifications.nobody");
      deps.ensureMayTry(principal);
      if (channel === "email") return await testMail(user, principal.tenantId);
      return await testMessage(user, principal);
    },
  };
}

export type NotificationsService = ReturnType<typeof createNotificationsService>;

/** Window in ms for a limited number of tests per user, because messages can cost money. */
const TEST_WINDOW_MS = 600_000;
const TESTS_MAX = 10;
const TRIED_USERS_MAX = 10_000;

/** Returns a function that throws `limited` after too many tests of a user. */
export function createTestLimit(clock: Clock): (principal: Principal) => void {
  /** Monotonic times of each user's recent tests. */
  const tried = new Map<UserId, number[]>();
  return ({ userId }) => {
    const now = clock.monotonic();
    const recent = (tried.get(userId) ?? []).filter((timeMs) => timeMs > now - TEST_WINDOW_MS);
    if (recent.length >= TESTS_MAX)
      throw limited("notifications.tests", Math.ceil(((recent[0] ?? now) + TEST_WINDOW_MS - now) / 1000));
    if (tried.size >= TRIED_USERS_MAX) tried.clear();
    tried.set(userId, [...recent, now]);
  };
}
