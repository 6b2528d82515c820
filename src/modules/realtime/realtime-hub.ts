import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { Counts } from "../../platform/load/tenant-budget.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { EventFanOut } from "./event-fan-out.ts";
import { ReadingTexts } from "./reading-texts.ts";
import {
  closeCodes,
  type EventTopic,
  type LiveEvent,
  type RealtimeEvent,
  type Subscription,
} from "./realtime.types.ts";
import { type DeviceData, WaitingReadings, WaitingTotal } from "./waiting-readings.ts";

/** Max. weight of a tenant's waiting readings; several times that of a single session. */
const WEIGHT_MAX = 32_768;

/** Max. events of a gateway's children sent to a session: half of its waiting events, so that they displace few others. */
const CHILD_EVENTS_MAX = 500;

interface MaintenanceOfChildren {
  readonly deviceId: DeviceId;
  readonly children: readonly DeviceId[];
  readonly data: { readonly event: "maintenance"; readonly until: string | null };
}

interface TenantQueue {
  readonly total: WaitingTotal;
  readonly devices: Map<DeviceId, { readonly device: IngestDevice; readonly readings: WaitingReadings }>;
}

/** Passes telemetry to a device's readers, one after the other. */
type Deliver = (device: IngestDevice, data: DeviceData) => Iterable<void>;

/** Distributes accepted messages to live readers: immediately if there is time, otherwise in turns with other tenants. */
export class TelemetryFanOut {
  readonly #texts: ReadingTexts;
  readonly #deliver: Deliver;
  readonly #tenants = new Map<TenantId, TenantQueue>();

  /** @param deliver passes a message to one reader per step */
  constructor(texts: ReadingTexts, deliver: Deliver) {
    this.#texts = texts;
    this.#deliver = deliver;
  }

  add(device: IngestDevice, readings: readonly Reading[]): void {
    const existing = this.#tenants.get(device.tenantId);
    const queue = existing ?? { total: new WaitingTotal(this.#texts, WEIGHT_MAX), devices: new Map() };
    const waiting = queue.devices.get(device.deviceId) ?? {
      device,
      readings: new WaitingReadings(queue.total),
    };
    queue.devices.set(device.deviceId, waiting);
    waiting.readings.add({ readings, merged: undefined });
    if (existing !== undefined) return;
    this.#tenants.set(device.tenantId, queue);
    void this.#run(device.tenantId, queue);
  }

  async #run(tenantId: TenantId, { devices }: TenantQueue): Promise<void> {
    const owner = { tenantId, userId: `live ${tenantId}` };
    const turn = workShare.enter(owner);
    if (turn !== undefined) await turn;
    try {
      for (const [deviceId, { device, readings }] of devices) {
        devices.delete(deviceId); // what arrives meanwhile waits behind the other devices
        for (const _ of this.#deliver(device, readings)) {
          const share = workShare.pause(owner);
          if (share !== undefined) await share;
        }
        readings.clear();
      }
    } finally {
      this.#tenants.delete(tenantId);
    }
  }
}

/** Signed-in screen. */
interface HubSession {
  readonly tenantId: TenantId;
  readonly seesAll: boolean;
  readonly isOpen: boolean;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  isOfTenant(tenantId: TenantId): boolean;
  isBy(userId: UserId): boolean;
  isUnder(sessionId: string): boolean;
  maySee(deviceId: DeviceId): boolean;
  /** Passes readings to the subscriptions to every device and those that name this one, in steps. */
  addReadings(deviceId: DeviceId, data: DeviceData, named: readonly Subscription[]): Iterable<void>;
  /**
   * @param isNamed true to send the event only to subscriptions that name its device
   * @param max max. subscriptions that are sent the event; the others are notified of an omission
   * @returns number of subscriptions to the event
   */
  addEvent(event: LiveEvent, options?: { readonly isNamed: boolean; readonly max: number }): number;
  /** Notifies subscriptions to the topic of omitted events. */
  leaveOut(topic: EventTopic, count: number): void;
  close(code: number, reason: string): void;
}

/** Subscriptions to devices or tenants, by session. */
class Listeners<Key> {
  readonly #sessions = new Map<Key, Map<HubSession, readonly Subscription[]>>();

  of(key: Key): ReadonlyMap<HubSession, readonly Subscription[]> | undefined {
    return this.#sessions.get(key);
  }

  add(key: Key, session: HubSession, subscription: Subscription): void {
    const sessions = this.#sessions.get(key) ?? new Map<HubSession, readonly Subscription[]>();
    this.#sessions.set(key, sessions.set(session, [...(sessions.get(session) ?? []), subscription]));
  }

  remove(key: Key, session: HubSession, subscription: Subscription): void {
    const sessions = this.#sessions.get(key);
    const others = sessions?.get(session)?.filter((other) => other !== subscription) ?? [];
    if (others.length > 0) sessions?.set(session, others);
    else sessions?.delete(session);
    if (sessions?.size === 0) this.#sessions.delete(key);
  }
}

/**
 * Registry of subscriptions: telemetry finds its readers by device and by tenant, so that an unwatched message costs two look-ups, or one comparison
 * without any subscriptions.
 */
export class RealtimeHub {
  /** Texts of telemetry, shared by all sessions. */
  readonly texts = new ReadingTexts();
  /** Waiting bytes that do not count as bytes in flight, by user or link. */
  readonly uncounted = new Counts();
  readonly #fanOut = new TelemetryFanOut(this.texts, (device, data) => this.#deliver(device, data));
  readonly #eventFanOut = new EventFanOut();
  /** Subscriptions to telemetry of named devices. */
  readonly #ofDevices = new Listeners<DeviceId>();
  /** Subscriptions to telemetry of every visible device. */
  readonly #ofTenants = new Listeners<TenantId>();
  readonly #sessions = new Set<HubSession>();
  readonly #childrenOf: (deviceId: DeviceId) => readonly DeviceId[];
  #telemetryReaders = 0;

  /** @param childrenOf returns the children of a gateway */
  constructor(events: EventBus<DomainEvents>, childrenOf: (deviceId: DeviceId) => readonly DeviceId[]) {
    this.#childrenOf = childrenOf;
    events.on("attributes.changed", ({ tenantId, ...data }) => this.#publish("attributes", tenantId, data));
    events.on("command.changed", ({ tenantId, deviceId, commandId, requestId, status }) =>
      this.#publish("commands", tenantId, { deviceId, commandId, requestId, status }),
    );
    events.on("alarm.changed", ({ tenantId, deviceId, event, alarmId, alarmType, ...alarm }) => {
      const { severity, status, message, createdAt, updatedAt } = alarm;
      const times = { createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
      this.#publish("alarms", tenantId, {
        deviceId,
        event,
        alarmId,
        name: alarmType,
        severity,
        status,
        message,
        ...times,
      });
    });
    events.on("device.state", ({ tenantId, lastActivityAt, ...state }) =>
      this.#publish("devices", tenantId, { event: "state", ...state, lastActivityAt: iso(lastActivityAt) }),
    );
    events.on("device.maintenance", (changed) => this.#publishMaintenance(changed));
    events.on("device.created", ({ tenantId, deviceId }) =>
      this.#publish("devices", tenantId, { event: "created", deviceId }),
    );
    events.on("device.updated", ({ tenantId, deviceId }) =>
      this.#publish("devices", tenantId, { event: "updated", deviceId }),
    );
    events.on("device.deleted", ({ tenantId, deviceId }) =>
      this.#publish("devices", tenantId, { event: "deleted", deviceId }),
    );
    events.on("session.ended", ({ sessionId, isChanged = false }) => {
      const code = isChanged ? closeCodes.changed : closeCodes.unauthorized;
      const reason = isChanged ? "the link shows something else now" : "the session has ended";
      for (const session of [...this.#sessions]) if (session.isUnder(sessionId)) session.close(code, reason);
    });
    events.on("device.rejected", ({ tenantId, ...data }) =>
      this.#publish("events", tenantId, { event: "rejected", ...data }),
    );
    events.on("note.changed", ({ tenantId, deviceId }) =>
      this.#publish("events", tenantId, { event: "note", deviceId }),
    );
    events.on("job.finished", ({ tenantId, deviceIds, ...data }) =>
      this.#publishOfMany("events", tenantId, { deviceIds, data: { event: "job-run", ...data } }),
    );
    events.on("key-metadata.changed", ({ tenantId }) => {
      const event = liveEvent("events", { event: "key-metadata" });
      this.#eventFanOut.add(tenantId, event, this.#sessionsOf(tenantId));
    });
    events.on("integration.changed", this.#onIntegration);
    events.on("integration.events", this.#onIntegration);
  }

  /** Publishes a change of an integration only to users who see all devices, because integrations show data of any device. */
  #onIntegration = ({ tenantId, integrationId }: DomainEvents["integration.changed"]): void =>
    this.#publishOfMany("events", tenantId, { deviceIds: [], data: { event: "integration", integrationId } });

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Returns the number of a user's sessions. */
  countOf(userId: UserId): number {
    let count = 0;
    for (const session of this.#sessions) if (session.isBy(userId)) count++;
    return count;
  }

  add(session: HubSession): void {
    this.#sessions.add(session);
  }

  remove(session: HubSession): void {
    this.#sessions.delete(session);
    for (const subscription of session.subscriptions.values()) this.unsubscribe(session, subscription);
  }

  subscribe(session: HubSession, subscription: Subscription): void {
    if (!subscription.topics.has("telemetry")) return;
    this.#telemetryReaders++;
    if (subscription.deviceIds === undefined) this.#ofTenants.add(session.tenantId, session, subscription);
    else for (const deviceId of subscription.deviceIds) this.#ofDevices.add(deviceId, session, subscription);
  }

  unsubscribe(session: HubSession, subscription: Subscription): void {
    if (!subscription.topics.has("telemetry")) return;
    this.#telemetryReaders--;
    if (subscription.deviceIds === undefined) this.#ofTenants.remove(session.tenantId, session, subscription);
    else
      for (const deviceId of subscription.deviceIds) this.#ofDevices.remove(deviceId, session, subscription);
  }

  /** Receives every accepted message; never blocks. */
  readonly onTelemetry = (device: IngestDevice, readings: readonly Reading[]): void => {
    if (this.#telemetryReaders === 0) return;
    if (this.#ofDevices.of(device.deviceId) ?? this.#ofTenants.of(device.tenantId))
      this.#fanOut.add(device, readings);
  };

  *#deliver({ deviceId, tenantId }: IngestDevice, data: DeviceData): Generator<void> {
    const ofDevice = this.#ofDevices.of(deviceId);
    const ofTenant = this.#ofTenants.of(tenantId);
    const sessions =
      ofDevice && ofTenant
        ? new Set([...ofDevice.keys(), ...ofTenant.keys()])
        : (ofDevice ?? ofTenant)?.keys();
    // What a reader may see can change while it listens.
    for (const session of sessions ?? [])
      if (session.maySee(deviceId)) yield* session.addReadings(deviceId, data, ofDevice?.get(session) ?? []);
  }

  closeAll(): void {
    for (const session of [...this.#sessions]) session.close(closeCodes.shutdown, "shutting down");
  }

  /** Publishes to users who may see one of the devices. */
  #publishOfMany<Topic extends EventTopic>(
    topic: Topic,
    tenantId: TenantId,
    { deviceIds, data }: { deviceIds: readonly DeviceId[]; data: RealtimeEvent<Topic> },
  ): void {
    const audience = this.#sessionsOf(tenantId).filter(
      (session) => session.seesAll || deviceIds.some((id) => session.maySee(id)),
    );
    this.#eventFanOut.add(tenantId, liveEvent(topic, data), audience);
  }

  /** Publishes maintenance of a gateway including its children, whose readers may watch or see only them. */
  #publishMaintenance({ tenantId, deviceId, until }: DomainEvents["device.maintenance"]): void {
    const data = { event: "maintenance", until: iso(until) } as const;
    this.#publish("devices", tenantId, { ...data, deviceId });
    const isHeard = [...this.#sessions].some((session) => session.isOfTenant(tenantId));
    const children = isHeard ? this.#childrenOf(deviceId) : [];
    if (children.length > 0) void this.#publishOfChildren(tenantId, { deviceId, children, data });
  }

  /** Notifies readers of the children in turns with other tenants; later maintenance of the tenant waits. */
  async #publishOfChildren(
    tenantId: TenantId,
    { deviceId, children, data }: MaintenanceOfChildren,
  ): Promise<void> {
    const owner = { tenantId, userId: `maintenance ${tenantId}` };
    const turn = workShare.enter(owner);
    if (turn !== undefined) await turn;
    const events = children.map((child) => liveEvent("devices", { ...data, deviceId: child }));
    for (const session of this.#sessions) {
      const isNamed = session.isOfTenant(tenantId) && session.maySee(deviceId);
      if (!session.isOfTenant(tenantId) || !hearsOfChildren(session, isNamed)) continue;
      for (const _ of addChildEvents(session, { events, isNamed })) {
        const share = workShare.pause(owner);
        if (share !== undefined) await share;
        if (!this.#sessions.has(session)) break;
      }
    }
  }

  #publish<Topic extends EventTopic>(
    topic: Topic,
    tenantId: TenantId,
    data: RealtimeEvent<Topic> & { readonly deviceId: DeviceId },
  ): void {
    // Who sees the device is decided now: it may be deleted later.
    const audience = this.#sessionsOf(tenantId).filter((session) => session.maySee(data.deviceId));
    this.#eventFanOut.add(tenantId, liveEvent(topic, data), audience);
  }

  #sessionsOf(tenantId: TenantId): HubSession[] {
    return [...this.#sessions].filter((session) => session.isOfTenant(tenantId));
  }
}

const hearsOfChildren = ({ subscriptions }: HubSession, isNamed: boolean): boolean =>
  [...subscriptions.values()].some(
    ({ topics, deviceIds }) => topics.has("devices") && (deviceIds !== undefined || !isNamed),
  );

/** Yields after each child. */
function* addChildEvents(
  session: HubSession,
  { events, isNamed }: { events: readonly LiveEvent[]; isNamed: boolean },
): Generator<void> {
  let max = CHILD_EVENTS_MAX;
  for (const event of events) {
    if (event.deviceId !== undefined && session.maySee(event.deviceId))
      max -= session.addEvent(event, { isNamed, max });
    yield;
  }
}

function liveEvent<Topic extends EventTopic>(topic: Topic, data: RealtimeEvent<Topic>): LiveEvent {
  let text: string | undefined;
  return {
    topic,
    deviceId: data.deviceId,
    textFor(subscriptionId) {
      text ??= JSON.stringify({ topic, ...data }).slice(1);
      return `{"type":"data","id":${JSON.stringify(subscriptionId)},${text}`;
    },
  };
}
