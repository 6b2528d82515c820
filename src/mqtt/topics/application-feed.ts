import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Alarm } from "../../modules/alarms/alarms.types.ts";
import type { DevicesService } from "../../modules/devices/devices.service.ts";
import type { DeviceActivity, DeviceWithActivity } from "../../modules/devices/devices.types.ts";
import type { DomainEvents } from "../../modules/events.types.ts";
import type { IngestDevice } from "../../modules/ingest/ingest.types.ts";
import type { TelemetryStore } from "../../modules/telemetry/store/store.types.ts";
import { latestMembers, type Reading } from "../../modules/telemetry/telemetry.types.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import { TenantBudget } from "../../platform/load/tenant-budget.ts";
import { WorkInTurns } from "../../platform/load/work-in-turns.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { MqttApplication, MqttServer, StateReceiver } from "../mqtt.types.ts";
import { type ApplicationTopic, readFilter, topicFor } from "./application-topics.ts";

/** Devices per page for a new subscription. */
const PAGE = 200;
/** Readings of a message that are published without a pause, each to all subscribers. */
const READINGS_PER_STEP = 10;
/** Max. devices whose newest values are read together. */
const VALUES_PER_STEP = 100;
/** Max. bytes of newest values that clients have not taken yet, in total and of a tenant. One message counts as half of these at most. */
const UNREAD_BYTES_MAX = { all: 64 * 1024 * 1024, tenant: 32 * 1024 * 1024 };
/** Delay between two messages for a client that reads slowly, and the max. number of delays. */
const WAIT_MS = 50;
const WAITS_MAX = 600;
/** Max. time until expired keys are noticed. */
const SWEEP_MS = 15_000;

interface Device {
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
}

interface Content {
  readonly body: () => unknown;
  /** Device of the topic, if it is not the device itself. */
  readonly under?: DeviceId;
}

const encode = (body: unknown): Uint8Array => Buffer.from(JSON.stringify(body));
const stateOf = ({ active, lastActivityAt }: { active: boolean; lastActivityAt: number | null }) => ({
  active,
  ...(lastActivityAt !== null && { lastActivityAt: new Date(lastActivityAt).toISOString() }),
});

const alarmBody = ({ alarmId, deviceId, alarmType, severity, status, message, ...rest }: Alarm) => ({
  alarmId,
  deviceId,
  name: alarmType,
  severity,
  status,
  message,
  escalationLevel: rest.escalationLevel,
  createdAt: new Date(rest.createdAt).toISOString(),
  updatedAt: new Date(rest.updatedAt).toISOString(),
});

interface ApplicationFeedDeps {
  readonly mqtt: MqttServer;
  readonly devices: Pick<DevicesService, "pages" | "get">;
  readonly store: Pick<TelemetryStore, "latestJson">;
  readonly activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  readonly openAlarms: (deviceId: DeviceId) => readonly Alarm[];
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

const isCongested = ({ readiness }: StateReceiver): boolean => readiness === "later";

/** Message of the feed. */
type StateMessage = readonly [topic: string, payload: Uint8Array];

/**
 * Feed for applications on `lineside/devices/{deviceId}/telemetry | attributes | alarms | state`. It publishes each event immediately. For a new
 * subscription it sends the current state, read from the store instead of retained messages.
 */
export class ApplicationFeed {
  readonly #deps: ApplicationFeedDeps;
  readonly #sweeping: ReturnType<typeof createPeriodic>;
  /** Reads the newest values of one subscription of a tenant at a time: those of a device may be 20 MB. */
  readonly #reading = new Lanes(1);
  readonly #unread = new TenantBudget(UNREAD_BYTES_MAX);
  readonly #events = new WorkInTurns();
  /** Newest message of each device that is being published in turns. */
  readonly #publishing = new Map<DeviceId, Promise<void>>();

  constructor(deps: ApplicationFeedDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#sweeping = createPeriodic({ clock, log, intervalMs: SWEEP_MS, work: () => this.#sweep() });
  }

  /** Publishes events of devices, and disconnects applications that may no longer read. The module calls it once. */
  subscribe(): void {
    const { events, mqtt } = this.#deps;
    events.on("attributes.changed", ({ scope, values, deleted, ...device }) =>
      this.#publishEvent(device, "attributes", {
        body: () => ({ scope, values, ...(deleted.length > 0 && { deleted }) }),
      }),
    );
    events.on("device.state", ({ active, lastActivityAt, ...device }) =>
      this.#publishEvent(device, "state", { body: () => stateOf({ active, lastActivityAt }) }),
    );
    events.on("alarm.changed", ({ event, ...alarm }) => {
      const body = () => ({ event, ...alarmBody(alarm) });
      this.#publishEvent(alarm, "alarms", { body });
      // Only applications that see the device itself receive it, under the gateway's topic, too.
      if (alarm.gatewayId !== null) this.#publishEvent(alarm, "alarms", { body, under: alarm.gatewayId });
    });
    events.on("session.ended", ({ sessionId }) => {
      mqtt.disconnectApplication(sessionId);
      this.#sweep(); // a client that signs in with a key has an id of its own
    });
    events.on("user.access", () => this.#sweep());
  }

  start(): void {
    this.#sweeping.start();
  }

  stop(): void {
    this.#sweeping.stop();
  }

  /**
   * Publishes an accepted message. Costs one comparison while no application is subscribed. Thousands of readings are published in turns; then the
   * promise resolves after the last one, and later messages of the device wait. It also waits for events of the device, such as the alarms of the
   * message.
   */
  onTelemetry(device: IngestDevice, readings: readonly Reading[]): Promise<void> | undefined {
    if (this.#deps.mqtt.applications.idle) return undefined;
    const { deviceId } = device;
    const before = this.#publishing.get(deviceId);
    if (before === undefined && readings.length <= READINGS_PER_STEP) {
      for (const reading of readings) this.#publishReading(device, reading);
      return this.#events.drained(device.tenantId, deviceId);
    }
    const published: Promise<void> = this.#publishInTurns(device, readings, before).finally(() => {
      if (this.#publishing.get(deviceId) === published) this.#publishing.delete(deviceId);
    });
    this.#publishing.set(deviceId, published);
    return published;
  }

  async #publishInTurns(
    device: IngestDevice,
    readings: readonly Reading[],
    before: Promise<void> | undefined,
  ): Promise<void> {
    await before;
    for (const reading of readings) {
      await workShare.pause();
      this.#publishReading(device, reading);
    }
    await this.#events.drained(device.tenantId, device.deviceId);
  }

  /** Resolves when a tenant's devices may cause more events; undefined if they may now. */
  roomForEvents(tenantId: TenantId): Promise<void> | undefined {
    return this.#events.room(tenantId);
  }

  #publishReading(device: IngestDevice, { ts, values }: Reading): void {
    this.#publish(device, "telemetry", { body: () => ({ ts, values }) });
  }

  /** Sends the current state to a new subscription. */
  async onSubscribed(application: MqttApplication, filter: string, receiver: StateReceiver): Promise<void> {
    const asked = readFilter(filter);
    if (asked === undefined) return;
    try {
      for (const page of this.#pagesOf(application, asked.deviceId)) {
        const ids = page.map(({ deviceId }) => deviceId);
        if (asked.kinds.includes("telemetry") && !(await this.#sendValues(application, ids, receiver)))
          return;
        // Thousands of devices may have nothing to send, and a fast client never blocks.
        for (const device of page) {
          await workShare.pause();
          for (const [topic, payload] of this.#statesOf(device, asked.kinds)) {
            if (!(await this.#waitFor(() => receiver.readiness))) return;
            receiver.send(topic, payload);
          }
        }
      }
    } catch (error) {
      // For example, there is no such device.
      this.#deps.log.debug("the present state was not sent to an application", { filter, error });
    }
  }

  /** Publishes an event behind those of the tenant that are waiting: a message may cause hundreds, each for hundreds of subscribers. */
  #publishEvent(device: Device, kind: ApplicationTopic, content: Content): void {
    if (this.#deps.mqtt.applications.idle) return;
    this.#events.run(device.tenantId, device.deviceId, () => this.#publish(device, kind, content));
  }

  #publish(device: Device, kind: ApplicationTopic, { body, under = device.deviceId }: Content): void {
    const { mqtt, log } = this.#deps;
    const { applications } = mqtt;
    if (applications.idle) return;
    applications
      .publishToSubscribers(device, topicFor(under, kind), () => encode(body()))
      .catch((error) => log.debug("an event was not sent to an application", { error }));
  }

  #sweep(): void {
    const mqtt = this.#deps.mqtt;
    for (const applicationId of [...mqtt.applications.revoked()]) mqtt.disconnectApplication(applicationId);
  }

  /** Yields the devices that the application may see, in pages. */
  *#pagesOf({ caller }: MqttApplication, deviceId: DeviceId | undefined): Iterable<DeviceWithActivity[]> {
    const { devices } = this.#deps;
    if (caller === undefined) return;
    if (deviceId !== undefined) {
      yield [devices.get(caller, deviceId)];
      return;
    }
    yield* devices.pages(caller, PAGE);
  }

  /** Yields the open alarms and the state of a device. */
  *#statesOf(
    { deviceId, activity }: DeviceWithActivity,
    kinds: readonly ApplicationTopic[],
  ): Generator<StateMessage> {
    const { openAlarms, activityOf } = this.#deps;
    if (kinds.includes("alarms"))
      for (const alarm of openAlarms(deviceId))
        yield [topicFor(deviceId, "alarms"), encode(alarmBody(alarm))];
    if (kinds.includes("state"))
      yield [topicFor(deviceId, "state"), encode(stateOf(activityOf(deviceId) ?? activity))];
  }

  /** Sends the newest values of the devices. Returns false if the client has left or takes nothing. */
  async #sendValues(
    { tenantId }: MqttApplication,
    deviceIds: readonly DeviceId[],
    receiver: StateReceiver,
  ): Promise<boolean> {
    for (let from = 0; from < deviceIds.length; ) {
      const isReady = await this.#waitFor(() => {
        const isFull = this.#unread.limitFor(tenantId, UNREAD_BYTES_MAX.tenant / 2) !== undefined;
        return receiver.readiness === "ready" && isFull ? "later" : receiver.readiness;
      });
      if (!isReady) return false;
      const next = deviceIds.slice(from, from + VALUES_PER_STEP);
      from += await this.#reading.run(tenantId, () => this.#sendSome(tenantId, next, receiver));
    }
    return true;
  }

  /**
   * Sends the newest values, which are not parsed, of the first devices. Returns their number. What a client is not ready for is read again later:
   * nothing is kept for those that read slowly.
   */
  async #sendSome(
    tenantId: TenantId,
    deviceIds: readonly DeviceId[],
    receiver: StateReceiver,
  ): Promise<number> {
    if (receiver.readiness !== "ready") return 0;
    let count = 0;
    for (const [deviceId, latest] of await this.#deps.store.latestJson(deviceIds)) {
      // The newest values are of different ages: each has its own time.
      const body = `{${latestMembers(latest)}}`;
      const bytes = Math.min(body.length, UNREAD_BYTES_MAX.tenant / 2);
      if (receiver.readiness !== "ready" || this.#unread.limitFor(tenantId, bytes) !== undefined) break;
      count++;
      if (latest.ts === 0) continue;
      receiver.send(topicFor(deviceId, "telemetry"), Buffer.from(body));
      await workShare.pause();
      if (isCongested(receiver)) void this.#countUnread(tenantId, bytes, receiver);
    }
    return count;
  }

  /** Counts bytes until the client has taken them or has left. */
  async #countUnread(tenantId: TenantId, bytes: number, receiver: StateReceiver): Promise<void> {
    this.#unread.count(tenantId, bytes);
    await this.#waitFor(() => receiver.readiness);
    this.#unread.count(tenantId, -bytes);
  }

  /** Waits until a client is ready. Returns false if it has left, or accepts nothing for half a minute. */
  async #waitFor(readiness: () => StateReceiver["readiness"]): Promise<boolean> {
    for (let wait = 0; wait < WAITS_MAX; wait++) {
      const now = readiness();
      if (now !== "later") return now === "ready";
      await new Promise<void>((resolve) => void this.#deps.clock.schedule(WAIT_MS, resolve));
    }
    return false;
  }
}
