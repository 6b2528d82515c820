import { setImmediate } from "node:timers/promises";
import { detail } from "../../lib/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import type { DomainEvents } from "../events.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { User } from "../users/users.types.ts";
import { addToDigest } from "./digest.ts";
import type { NotificationsRepository } from "./notifications.repository.ts";
import type {
  Channel,
  Flow,
  NotificationLine,
  NotificationSettings,
  QueuedNotification,
} from "./notifications.types.ts";
import type { Notifier } from "./notifier.ts";
import { channelsOf, wants } from "./recipients.ts";

const MINUTE_MS = 60_000;
const NOTIFICATIONS_AT_ONCE = 100;
const ENDED_AT_ONCE = 100;
const RETRY_MS = 5_000;
const WAIT_MS_MAX = 3_600_000;
/** Of a window, as the settings allow it. */
const WINDOW_MS_MAX = 60 * MINUTE_MS;
/** Number of people a history names. */
const NAMED_MAX = 20;

/** Of a tenant, as it is while a batch is worked on. */
interface Audience {
  readonly settings: NotificationSettings;
  readonly users: readonly User[];
}

/**
 * Turns what happened to alarms into mails and messages. A notice is taken out in the same transaction that writes what it becomes, so
 * that everybody is told once, whatever is killed when. Who gets many within a short time gets the rest at its end, in one.
 */
export function createDispatcher(deps: {
  repository: NotificationsRepository;
  users: Pick<UsersService, "findById" | "listOf" | "visibleDevices">;
  notifier: Notifier;
  canMail: boolean;
  settingsOf: (tenantId: TenantId) => NotificationSettings;
  deviceNameOf: (deviceId: DeviceId) => string | undefined;
  /** Notes in the history of the alarm whom it was told. */
  noted: (alarmId: string, text: Text) => void;
  transact: (work: () => void) => void;
  clock: Clock;
  /** Steady epoch ms. */
  now: () => number;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, users, notifier, clock, now, log } = deps;
  let isStarted = false;
  let running: Promise<void> | undefined;
  /** Something was written while the last round was ending. */
  let isAsked = false;
  let cancel: () => void = () => undefined;

  const canMessage = ({ messaging }: NotificationSettings) => messaging !== null;

  function notify(
    user: User,
    channel: Channel,
    content: { line: NotificationLine; settings: NotificationSettings },
  ): void {
    const { line, settings } = content;
    const { messaging } = settings;
    if (user.tenantId === null) return;
    if (channel === "email") notifier.mailLine(user.tenantId, user, { line, settings });
    else if (messaging !== null)
      notifier.messageLine({ user, tenantId: user.tenantId, messaging }, line, settings);
  }

  /** Tells, or gathers; whether it was told. */
  function notifyOrDefer(
    user: User,
    channel: Channel,
    content: { line: NotificationLine; settings: NotificationSettings; flows: Map<string, Flow> },
  ): boolean {
    const { line, settings, flows } = content;
    const key = `${channel} ${user.userId}`;
    const { userId } = user;
    const flow = flows.get(key) ??
      repository.findFlow(userId, channel) ?? {
        userId,
        channel,
        endsAt: now() + settings.digestMinutes * MINUTE_MS,
        sent: 0,
        digest: null,
      };
    const isSent = flow.sent < settings.digestAfter;
    if (isSent) notify(user, channel, content);
    flows.set(
      key,
      isSent ? { ...flow, sent: flow.sent + 1 } : { ...flow, digest: addToDigest(flow.digest, line) },
    );
    return isSent;
  }

  function audienceOf(tenantId: TenantId, audiences: Map<TenantId, Audience>): Audience {
    const audience = audiences.get(tenantId) ?? {
      settings: deps.settingsOf(tenantId),
      users: users.listOf(tenantId),
    };
    audiences.set(tenantId, audience);
    return audience;
  }

  /** On which ways the user hears of it, as its history says it. */
  function notifyUser(
    user: User,
    notification: QueuedNotification,
    content: { line: NotificationLine; settings: NotificationSettings; flows: Map<string, Flow> },
  ): Text[] {
    const open = channelsOf(user, { canMail: deps.canMail, canMessage: canMessage(content.settings) });
    if (open.length === 0 || !wants(user, notification, users.visibleDevices(user.userId))) return [];
    return open.map((channel) => {
      const to = channel === "email" ? user.email : user.fullName;
      const isSent = notifyOrDefer(user, channel, content);
      return detail(isSent ? `notification_way.${channel}` : `notification_way.${channel}_digest`, { to });
    });
  }

  function dispatch(
    notification: QueuedNotification,
    batch: { audiences: Map<TenantId, Audience>; flows: Map<string, Flow> },
  ): void {
    const { settings, users: recipients } = audienceOf(notification.tenantId, batch.audiences);
    const deviceName = deps.deviceNameOf(notification.deviceId);
    if (deviceName === undefined) return;
    const { trigger, severity, level, alarmType, message, cause, at } = notification;
    const line = {
      ...{ trigger, severity, level, alarmType, deviceName, message },
      ...(cause !== null && { cause }),
      at: new Date(at).toISOString(),
    };
    const content = { line, settings, flows: batch.flows };
    const channelsUsed = recipients.flatMap((user) => notifyUser(user, notification, content));
    if (channelsUsed.length === 0) return;
    const named = { occasion: detail(`alarm_occasion.${trigger}`), ways: channelsUsed.slice(0, NAMED_MAX) };
    const count = channelsUsed.length - NAMED_MAX;
    deps.noted(
      notification.alarmId,
      count > 0
        ? detail("alarm_event.notified_more", { ...named, count })
        : detail("alarm_event.notified", named),
    );
  }

  /** Whether there may be more. */
  function dispatchBatch(): boolean {
    const notifications = repository.listNotifications(NOTIFICATIONS_AT_ONCE);
    const last = notifications.at(-1);
    if (last === undefined) return false;
    const batch = { audiences: new Map<TenantId, Audience>(), flows: new Map<string, Flow>() };
    deps.transact(() => {
      for (const notification of notifications) dispatch(notification, batch);
      for (const flow of batch.flows.values()) repository.saveFlow(flow);
      repository.deleteNotifications(last.sequence);
    });
    return notifications.length === NOTIFICATIONS_AT_ONCE;
  }

  /** Whether something went out: nothing does to those who have been disabled, or do not want it any more, meanwhile. */
  function sendDigest({ userId, channel, digest }: Flow): boolean {
    const user = users.findById(userId);
    if (user?.status !== "ACTIVE" || user.tenantId === null || digest === null) return false;
    const { tenantId } = user;
    const settings = deps.settingsOf(tenantId);
    const { messaging } = settings;
    const open = channelsOf(user, { canMail: deps.canMail, canMessage: messaging !== null });
    if (!open.includes(channel)) return false;
    if (channel === "email") notifier.mailDigest(tenantId, user, { digest, settings });
    else if (messaging !== null) notifier.messageDigest({ user, tenantId, messaging }, digest, settings);
    return true;
  }

  /** What was gathered goes out; while more comes, another window follows, in which nothing is told by itself. */
  function endWindow(flow: Flow): void {
    const tenantId = sendDigest(flow) ? users.findById(flow.userId)?.tenantId : undefined;
    if (!tenantId) {
      repository.deleteFlow(flow);
      return;
    }
    const endsAt = now() + deps.settingsOf(tenantId).digestMinutes * MINUTE_MS;
    repository.saveFlow({ ...flow, endsAt, sent: Number.MAX_SAFE_INTEGER, digest: null });
  }

  function endWindows(): boolean {
    const ended = repository.listEnded(now(), ENDED_AT_ONCE);
    if (ended.length === 0) return false;
    deps.transact(() => {
      for (const flow of ended) endWindow(flow);
    });
    return ended.length === ENDED_AT_ONCE;
  }

  async function work(): Promise<void> {
    await setImmediate(); // whoever raised the alarms goes on first
    while (isStarted && endWindows()) await setImmediate();
    while (isStarted && dispatchBatch()) await setImmediate();
  }

  function arm(): void {
    cancel();
    const next = isStarted ? repository.nextEnd() : undefined;
    if (next !== undefined) cancel = clock.schedule(Math.min(Math.max(next - now(), 0), WAIT_MS_MAX), wake);
  }

  function wake(): void {
    isAsked = running !== undefined;
    if (!isStarted || isAsked) return;
    cancel();
    running = work()
      .then(arm)
      .catch((error: unknown) => {
        log.warn("notifications could not be written and are retried", { error }); // a full disk, say
        cancel();
        cancel = clock.schedule(RETRY_MS, wake);
      })
      .then(() => {
        running = undefined;
        if (isAsked) wake();
      });
  }

  deps.events.on("alarm.changed", wake);

  return {
    start() {
      isStarted = true;
      repository.hasten(now() + WINDOW_MS_MAX);
      wake();
    },
    async stop() {
      isStarted = false;
      cancel();
      await running;
    },
  };
}
