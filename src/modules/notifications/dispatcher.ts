import { setImmediate } from "node:timers/promises";
import { compareSeverities } from "../../lib/alarms/severity.ts";
import { detail, toText } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/core/units.ts";
import { RateMeter } from "../../lib/data/rate-meter.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Alarm, AlarmEvent } from "../alarms/alarms.types.ts";
import type { DomainEvents } from "../events.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { User } from "../users/users.types.ts";
import { type MessengerNotifier, wantsMessage } from "./messenger-notifier.ts";
import type { Messenger } from "./messengers.resource.ts";
import type { MessengersService } from "./messengers.service.ts";
import type { NotificationsRepository } from "./notifications.repository.ts";
import type {
  Channel,
  Digest,
  Flow,
  NotificationLine,
  NotificationSettings,
  NotificationTrigger,
  QueuedNotification,
} from "./notifications.types.ts";
import type { Notifier } from "./notifier.ts";
import { channelsOf, type Recipients, recipientsAfter, recipientsAmong, wants } from "./recipients.ts";

const NOTIFICATIONS_PER_STEP = 100;
/** Recipients that are notified without a pause; about 8 ms. */
const RECIPIENTS_PER_STEP = 150;
const ENDED_PER_STEP = 100;
const RETRY_MS = 5_000;
/** Longest window that the settings allow. */
const WINDOW_MS_MAX = HOUR_MS;
/** Max. recipients named in an alarm's history. */
const NAMED_MAX = 20;

/** Recipients of a tenant while a batch is processed. */
interface Audience extends Recipients {
  readonly settings: NotificationSettings;
}

/** Notifications processed together; both maps are kept until the batch is written. */
interface Batch {
  readonly audiences: Map<TenantId, Audience>;
  /** Flows by channel and user. */
  readonly flows: Map<string, Flow>;
}

interface Content {
  readonly tenantId: TenantId;
  readonly line: NotificationLine;
  readonly settings: NotificationSettings;
}

interface DispatcherDeps {
  readonly repository: NotificationsRepository;
  readonly users: Pick<UsersService, "findById" | "listOf" | "visibleDevices">;
  readonly notifier: Notifier;
  readonly messengers: Pick<MessengersService, "listOf" | "findById"> &
    Pick<MessengerNotifier, "sendLine" | "sendDigest">;
  readonly canMail: () => boolean;
  /** Counts an alarm mail. Returns false if the tenant currently has no room for it. */
  readonly takeMailRoom: (tenantId: TenantId) => boolean;
  readonly settingsOf: (tenantId: TenantId) => NotificationSettings;
  readonly deviceNameOf: (deviceId: DeviceId) => string | undefined;
  /** Returns the ids of the only recipients named by an alarm's rule; undefined if it names none. */
  readonly recipientIdsOf: (alarm: {
    deviceId: DeviceId;
    alarmType: string;
  }) => readonly string[] | undefined;
  /** Adds the notified recipients to the alarm's history. */
  readonly noteNotified: (
    alarm: Pick<QueuedNotification, "alarmId" | "tenantId" | "deviceId">,
    text: Text,
  ) => void;
  readonly transact: (work: () => void) => void;
  readonly clock: Clock;
  /** Returns monotonic epoch ms. */
  readonly now: () => number;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

const lineOf = (notification: QueuedNotification, deviceName: string): NotificationLine => {
  const { alarmId, trigger, severity, level, alarmType, message, messageParts, cause, at } = notification;
  return {
    alarmId,
    trigger,
    severity,
    level,
    alarmType,
    deviceName,
    message,
    ...(messageParts !== null && { messageParts }),
    ...(cause !== null && { cause }),
    at: iso(at),
  };
};

/** Max. alarms named in a digest; the others are counted. */
const DIGEST_LINES_MAX = 5;

/** Returns the digest with one more line. */
function addToDigest(digest: Digest | null, line: NotificationLine): Digest {
  const { total = 0, bySeverity = {}, byTrigger = {}, worst = [] } = digest ?? {};
  const { severity, trigger } = line;
  // Sorting is stable: of equally severe lines, the oldest stay.
  const named = [...worst, line].sort((a, b) => compareSeverities(b.severity, a.severity));
  return {
    total: total + 1,
    bySeverity: { ...bySeverity, [severity]: (bySeverity[severity] ?? 0) + 1 },
    byTrigger: { ...byTrigger, [trigger]: (byTrigger[trigger] ?? 0) + 1 },
    worst: named.slice(0, DIGEST_LINES_MAX),
  };
}

/**
 * Converts alarm events to mails and messages. Progress is saved in the transaction that writes the mails, so each user is notified exactly once,
 * even after a crash. Nothing outside the database is attempted here: the outbox delivers. Users with many notifications within a short time get
 * the rest in one digest at its end.
 */
export class Dispatcher {
  #isStarted = false;
  #running: Promise<void> | undefined;
  /** True if notifications were written while the last round was ending. */
  #isAsked = false;
  #cancel: () => void = () => undefined;

  readonly #deps: DispatcherDeps;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** Subscribes to the transitions of alarms. The module calls it once, before anything is started. */
  subscribe(): void {
    this.#deps.events.on("alarm.changed", () => this.#wake());
  }

  start(): void {
    this.#isStarted = true;
    this.#deps.repository.capDueTimes(this.#deps.now() + WINDOW_MS_MAX);
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#cancel();
    await this.#running;
  }

  #wake(): void {
    this.#isAsked = this.#running !== undefined;
    if (!this.#isStarted || this.#isAsked) return;
    this.#cancel();
    this.#running = this.#work()
      .then(() => this.#arm())
      .catch((error: unknown) => {
        this.#deps.log.warn("notifications could not be written and are retried", { error }); // a full disk, say
        this.#cancel();
        this.#cancel = this.#deps.clock.schedule(RETRY_MS, () => this.#wake());
      })
      .then(() => {
        this.#running = undefined;
        if (this.#isAsked) this.#wake();
      });
  }

  async #work(): Promise<void> {
    await setImmediate(); // the caller that raised the alarms continues first
    while (this.#isStarted && this.#endWindows()) await workShare.next();
    while (this.#isStarted && this.#dispatchBatch()) await workShare.next();
  }

  #arm(): void {
    const { repository, clock, now } = this.#deps;
    this.#cancel();
    const next = this.#isStarted ? repository.nextEnd() : undefined;
    if (next === undefined) return;
    this.#cancel = clock.schedule(Math.min(Math.max(next - now(), 0), HOUR_MS), () => this.#wake());
  }

  /** Returns whether more notifications may be waiting. */
  #dispatchBatch(): boolean {
    const { repository, transact } = this.#deps;
    const notifications = repository.listNotifications(NOTIFICATIONS_PER_STEP);
    if (notifications.length === 0) return false;
    const batch: Batch = { audiences: new Map(), flows: new Map() };
    let written = 0;
    transact(() => {
      for (let room = RECIPIENTS_PER_STEP; written < notifications.length && room > 0; ) {
        const notification = notifications[written] as QueuedNotification;
        const { count, last } = this.#dispatch(notification, batch, room);
        room -= count;
        if (last === undefined) written++;
        else repository.saveNotifiedUpTo(notification.sequence, last);
      }
      for (const flow of batch.flows.values()) repository.saveFlow(flow);
      repository.deleteNotifications(notifications[written - 1]?.sequence ?? 0);
    });
    return notifications.length === NOTIFICATIONS_PER_STEP || written < notifications.length;
  }

  /** Notifies at most `max` recipients. Returns their number, and the id of the last one if there are more. */
  #dispatch(notification: QueuedNotification, batch: Batch, max: number): { count: number; last?: string } {
    const { settings, users, messengers } = this.#audienceOf(notification.tenantId, batch);
    const deviceName = this.#deps.deviceNameOf(notification.deviceId);
    if (deviceName === undefined) return { count: 0 };
    const { tenantId } = notification;
    const content = { tenantId, line: lineOf(notification, deviceName), settings, flows: batch.flows };
    const all = recipientsAmong({ users, messengers }, this.#deps.recipientIdsOf(notification));
    const { recipients, ...reached } = recipientsAfter(all, notification.notifiedUpTo, max);
    const ways = [
      ...recipients.users.flatMap((user) => this.#notifyUser(user, notification, content)),
      ...recipients.messengers.flatMap((messenger) =>
        this.#notifyMessenger(messenger, notification, content),
      ),
    ];
    if (ways.length > 0) this.#note(notification, ways);
    return reached;
  }

  /** Notes in the alarm's history who was notified. */
  #note(notification: QueuedNotification, ways: readonly Text[]): void {
    const occasion = detail(`alarm_occasion.${notification.trigger}`);
    const named = { occasion, ways: ways.slice(0, NAMED_MAX) };
    const count = ways.length - NAMED_MAX;
    this.#deps.noteNotified(
      notification,
      count > 0
        ? detail("alarm_event.notified_more", { ...named, count })
        : detail("alarm_event.notified", named),
    );
  }

  #audienceOf(tenantId: TenantId, { audiences }: Batch): Audience {
    const audience = audiences.get(tenantId) ?? {
      settings: this.#deps.settingsOf(tenantId),
      users: this.#deps.users.listOf(tenantId),
      messengers: this.#deps.messengers.listOf(tenantId),
    };
    audiences.set(tenantId, audience);
    return audience;
  }

  /** Returns the channels on which the user was notified, for the alarm's history. */
  #notifyUser(user: User, notification: QueuedNotification, content: Content & Pick<Batch, "flows">): Text[] {
    const open = this.#openChannels(user, content.settings);
    if (open.length === 0) return [];
    if (!wants(user, notification, this.#deps.users.visibleDevices(user.userId))) return [];
    return open.map((channel) => {
      const to = channel === "email" ? user.email : user.fullName;
      const key = { recipientId: user.userId, channel };
      const isSent = this.#notifyOrDefer(key, content, () => this.#notify(user, channel, content));
      return detail(isSent ? `notification_way.${channel}` : `notification_way.${channel}_digest`, { to });
    });
  }

  #openChannels(user: User, { messaging }: NotificationSettings): Channel[] {
    return channelsOf(user, { canMail: this.#deps.canMail(), canMessage: messaging !== null });
  }

  /** Returns the messenger that was notified, for the alarm's history. */
  #notifyMessenger(
    messenger: Messenger,
    notification: QueuedNotification,
    content: Content & Pick<Batch, "flows">,
  ): Text[] {
    if (!wantsMessage(messenger, notification)) return [];
    const { messengers } = this.#deps;
    const { messengerId, name: to } = messenger;
    const key = { recipientId: messengerId, channel: "messenger" } as const;
    const isSent = this.#notifyOrDefer(key, content, () => messengers.sendLine(messenger, content.line));
    return [detail(isSent ? "notification_way.messenger" : "notification_way.messenger_digest", { to })];
  }

  /** Sends the notification, or adds its line to the recipient's digest. Returns whether it was sent. */
  #notifyOrDefer(
    recipient: Pick<Flow, "recipientId" | "channel">,
    { tenantId, line, settings, flows }: Content & Pick<Batch, "flows">,
    send: () => void,
  ): boolean {
    const key = `${recipient.channel} ${recipient.recipientId}`;
    const flow = flows.get(key) ??
      this.#deps.repository.findFlow(recipient) ?? {
        ...recipient,
        endsAt: this.#deps.now() + settings.digestMinutes * MINUTE_MS,
        sent: 0,
        digest: null,
      };
    const isSent =
      flow.sent < settings.digestAfter && (flow.channel !== "email" || this.#deps.takeMailRoom(tenantId));
    if (isSent) send();
    flows.set(
      key,
      isSent ? { ...flow, sent: flow.sent + 1 } : { ...flow, digest: addToDigest(flow.digest, line) },
    );
    return isSent;
  }

  #notify(user: User, channel: Channel, { line, settings }: Content): void {
    const { notifier } = this.#deps;
    const { tenantId } = user;
    const { messaging } = settings;
    if (tenantId === null) return;
    if (channel === "email") notifier.mailLine(tenantId, user, { line, settings });
    else if (messaging !== null) notifier.messageLine({ user, tenantId, messaging }, line, settings);
  }

  /** Ends the due windows of digests. Returns whether more may be due. */
  #endWindows(): boolean {
    const { repository, transact, now } = this.#deps;
    const ended = repository.listEnded(now(), ENDED_PER_STEP);
    if (ended.length === 0) return false;
    transact(() => {
      for (const flow of ended) this.#endWindow(flow);
    });
    return ended.length === ENDED_PER_STEP;
  }

  /** Sends the digest. While notifications keep arriving, another window follows without immediate notifications. */
  #endWindow(flow: Flow): void {
    const { repository, settingsOf, now } = this.#deps;
    const tenantId = flow.channel === "messenger" ? this.#messengerDigest(flow) : this.#userDigest(flow);
    if (tenantId === "later") {
      repository.saveFlow({ ...flow, endsAt: now() + MINUTE_MS });
      return;
    }
    if (tenantId === undefined) {
      repository.deleteFlow(flow);
      return;
    }
    const endsAt = now() + settingsOf(tenantId).digestMinutes * MINUTE_MS;
    repository.saveFlow({ ...flow, endsAt, sent: Number.MAX_SAFE_INTEGER, digest: null });
  }

  /** Returns the tenant of the messenger if the digest was sent. */
  #messengerDigest({ recipientId, digest }: Flow): TenantId | undefined {
    const { messengers } = this.#deps;
    const messenger = messengers.findById(recipientId);
    if (messenger === undefined || !messenger.isEnabled || digest === null) return undefined;
    messengers.sendDigest(messenger, digest);
    return messenger.tenantId;
  }

  /**
   * Sends a digest to a user. Returns the tenant of the user if it was sent, "later" if the tenant currently has no room for a mail, and `undefined`
   * if the user was disabled or no longer wants it.
   */
  #userDigest({ recipientId, channel, digest }: Flow): TenantId | undefined | "later" {
    const { users, notifier, settingsOf } = this.#deps;
    const user = users.findById(recipientId as UserId); // written by us
    if (user?.status !== "ACTIVE" || user.tenantId === null || digest === null) return undefined;
    const { tenantId } = user;
    const settings = settingsOf(tenantId);
    const { messaging } = settings;
    if (!this.#openChannels(user, settings).some((open) => open === channel)) return undefined;
    if (channel === "email" && !this.#deps.takeMailRoom(tenantId)) return "later";
    if (channel === "email") notifier.mailDigest(tenantId, user, { digest, settings });
    else if (messaging !== null) notifier.messageDigest({ user, tenantId, messaging }, digest, settings);
    return tenantId;
  }
}

/** Min. time between faults of a tenant, in ms. */
const FAULT_INTERVAL_MS = 60_000;

interface Room {
  readonly meter: RateMeter;
  /** Monotonic ms of the last fault. */
  faultAt: number;
}

/**
 * Returns a function that counts an alarm mail of a tenant. It returns false if there is currently no room, which is reported as a fault of the
 * tenant.
 */
export function createMailRoom(deps: {
  /** 0 for no limit. */
  readonly perHour: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly events: EventBus<DomainEvents>;
}): (tenantId: TenantId) => boolean {
  const { perHour, clock, events } = deps;
  const rooms = new Map<TenantId, Room>();
  events.on("tenant.deleted", ({ tenantId }) => void rooms.delete(tenantId));

  function roomOf(tenantId: TenantId): Room {
    const room = rooms.get(tenantId) ?? {
      meter: Object.assign(new RateMeter(), { perSecond: (perHour * 1_000) / HOUR_MS, burst: perHour }),
      faultAt: Number.NEGATIVE_INFINITY,
    };
    rooms.set(tenantId, room);
    return room;
  }

  return (tenantId) => {
    if (perHour === 0) return true;
    const now = clock.monotonic();
    const room = roomOf(tenantId);
    if (room.meter.take(now) === 0) return true;
    if (now - room.faultAt >= FAULT_INTERVAL_MS) {
      room.faultAt = now;
      const fault = detail("fault.alarm_mails_collected", { max: perHour });
      const subject = { kind: "outbox", id: tenantId } as const;
      events.emit("fault.occurred", { ...fault, source: "mail", tenantId, subject });
    }
    return false;
  };
}

const triggers: Readonly<Partial<Record<AlarmEvent["eventType"], NotificationTrigger>>> = {
  CREATED: "CREATED",
  REOPENED: "CREATED",
  SEVERITY_CHANGED: "CREATED",
  ESCALATED: "ESCALATED",
  CLEARED: "CLEARED",
};

/** Queues the notification of an event in its transaction, except for a muted device or a rule without recipients. */
export const createNotificationHook =
  (deps: {
    repository: Pick<NotificationsRepository, "addNotification">;
    mutedMs: (deviceId: DeviceId) => number;
    recipientIdsOf: (alarm: Alarm) => readonly string[] | undefined;
  }) =>
  (alarm: Alarm, event: AlarmEvent, before: Alarm | undefined): void => {
    const trigger = triggers[event.eventType];
    if (trigger === undefined || deps.mutedMs(alarm.deviceId) > 0) return;
    if (deps.recipientIdsOf(alarm)?.length === 0) return;
    const { tenantId, alarmId, deviceId, severity, alarmType, message, messageParts } = alarm;
    const hasRisen = event.eventType === "SEVERITY_CHANGED";
    deps.repository.addNotification({
      tenantId,
      alarmId,
      deviceId,
      trigger,
      severity,
      alarmType,
      message,
      messageParts,
      formerSeverity: hasRisen ? (before?.severity ?? null) : null,
      cause: trigger === "CLEARED" ? toText(event) : null,
      level: alarm.escalationLevel,
      at: event.createdAt,
    });
  };
