import type { DeviceId, TenantId } from "../lib/core/ids.ts";
import type { Alarm } from "../modules/alarms/alarms.types.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DeviceActivity, DeviceWithActivity } from "../modules/devices/devices.types.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { Reading } from "../modules/telemetry/telemetry.types.ts";
import type { EventBus } from "../platform/core/event-bus.ts";
import type { Logger } from "../platform/core/log.ts";
import { PARSED_MAX } from "../platform/database/parsed-together.ts";
import type { Clock } from "../platform/time/clock.ts";
import { createPeriodic } from "../platform/time/periodic.ts";
import { type ApplicationTopic, readFilter, topicFor } from "./application-topics.ts";
import type { MqttApplication, MqttServer, SendState } from "./mqtt.types.ts";

/** Devices per page for a new subscription. */
const PAGE = 200;
/** Max. devices whose newest values are read together. */
const VALUES_AT_ONCE = 100;
/** Delay between two messages for a client that reads slowly, and the max. number of delays. */
const WAIT_MS = 50;
const WAITS_MAX = 600;
/** Max. time until expired keys are noticed. */
const SWEEP_MS = 15_000;

interface Device {
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
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

/** End of the newest values of a device that has none. */
const NO_VALUES = '"ts":0}';

/** Returns the JSON of newest values without the device, which the topic names. */
const withoutDevice = (deviceId: DeviceId, text: string): string =>
  `{${text.slice(`{"deviceId":${JSON.stringify(deviceId)},`.length)}`;

interface ApplicationFeedDeps {
  readonly mqtt: () => MqttServer;
  readonly devices: Pick<DevicesService, "pages" | "get">;
  readonly store: Pick<TelemetryStore, "latestJson">;
  readonly activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  readonly openAlarms: (deviceId: DeviceId) => readonly Alarm[];
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Message of the feed. */
type StateMessage = readonly [topic: string, payload: Uint8Array];

/**
 * Feed for applications on `lineside/devices/{deviceId}/telemetry | attributes | alarms | state`. It publishes each event immediately. For a new
 * subscription it sends the current state, read from the store instead of retained messages.
 */
export class ApplicationFeed {
  readonly #deps: ApplicationFeedDeps;
  readonly #sweeping: ReturnType<typeof createPeriodic>;

  constructor(deps: ApplicationFeedDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#sweeping = createPeriodic({ clock, log, intervalMs: SWEEP_MS, work: () => this.#sweep() });
  }

  /** Publishes events of devices, and disconnects applications that may no longer read. The module calls it once. */
  subscribe(): void {
    const { events, mqtt } = this.#deps;
    events.on("attributes.changed", ({ scope, values, deleted, ...device }) =>
      this.#publish(device, "attributes", {
        body: () => ({ scope, values, ...(deleted.length > 0 && { deleted }) }),
      }),
    );
    events.on("device.state", ({ active, lastActivityAt, ...device }) =>
      this.#publish(device, "state", { body: () => stateOf({ active, lastActivityAt }) }),
    );
    events.on("alarm.changed", ({ event, ...alarm }) => {
      const body = () => ({ event, ...alarmBody(alarm) });
      this.#publish(alarm, "alarms", { body });
      // Only applications that see the device itself receive it, under the gateway's topic, too.
      if (alarm.gatewayId !== null) this.#publish(alarm, "alarms", { body, under: alarm.gatewayId });
    });
    events.on("session.ended", ({ sessionId }) => {
      mqtt().disconnectApplication(sessionId);
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

  /** Publishes an accepted message. Costs one comparison while no application is subscribed. */
  onTelemetry(device: IngestDevice, readings: readonly Reading[]): void {
    if (this.#deps.mqtt().applications.idle) return;
    for (const { ts, values } of readings)
      this.#publish(device, "telemetry", { body: () => ({ ts, values }) });
  }

  /** Sends the current state to a new subscription. */
  async onSubscribed(application: MqttApplication, filter: string, send: SendState): Promise<void> {
    const asked = readFilter(filter);
    if (asked === undefined) return;
    try {
      for (const page of this.#pagesOf(application, asked.deviceId))
        for await (const [topic, payload] of this.#messagesOf(page, asked.kinds))
          if (!(await this.#sendPatiently(send, topic, payload))) return;
    } catch (error) {
      // For example, there is no such device.
      this.#deps.log.debug("the present state was not sent to an application", { filter, error });
    }
  }

  /** @param under device of the topic, if it is not the device itself */
  #publish(
    device: Device,
    kind: ApplicationTopic,
    { body, under = device.deviceId }: { body: () => unknown; under?: DeviceId },
  ): void {
    const { mqtt, log } = this.#deps;
    const { applications } = mqtt();
    if (applications.idle) return;
    applications
      .publishToSubscribers(device, topicFor(under, kind), () => encode(body()))
      .catch((error) => log.debug("an event was not sent to an application", { error }));
  }

  #sweep(): void {
    const mqtt = this.#deps.mqtt();
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

  /** Yields the current state of these devices, in the order of sending. */
  async *#messagesOf(
    page: readonly DeviceWithActivity[],
    kinds: readonly ApplicationTopic[],
  ): AsyncGenerator<StateMessage> {
    const { openAlarms, activityOf } = this.#deps;
    if (kinds.includes("telemetry")) yield* this.#telemetryOf(page.map(({ deviceId }) => deviceId));
    if (kinds.includes("alarms"))
      for (const { deviceId } of page)
        for (const alarm of openAlarms(deviceId))
          yield [topicFor(deviceId, "alarms"), encode(alarmBody(alarm))];
    if (kinds.includes("state"))
      for (const { deviceId, activity } of page)
        yield [topicFor(deviceId, "state"), encode(stateOf(activityOf(deviceId) ?? activity))];
  }

  /** Yields the newest values, which are not parsed. Reads fewer devices together while their values are long. */
  async *#telemetryOf(deviceIds: readonly DeviceId[]): AsyncGenerator<StateMessage> {
    let count = 1;
    for (let from = 0; from < deviceIds.length; ) {
      const texts = await this.#deps.store.latestJson(deviceIds.slice(from, from + count));
      from += count;
      let characters = 0;
      for (const [deviceId, text] of texts) {
        characters += text.length;
        const body = withoutDevice(deviceId, text);
        // The newest values are of different ages: each has its own time.
        if (!body.endsWith(NO_VALUES)) yield [topicFor(deviceId, "telemetry"), Buffer.from(body)];
      }
      count = characters < PARSED_MAX ? Math.min(2 * count, VALUES_AT_ONCE) : 1;
    }
  }

  /** Returns false if the client has gone, or accepts nothing for half a minute. */
  async #sendPatiently(send: SendState, topic: string, payload: Uint8Array): Promise<boolean> {
    for (let wait = 0; wait < WAITS_MAX; wait++) {
      const outcome = send(topic, payload);
      if (outcome !== "later") return outcome === "sent";
      await new Promise<void>((resolve) => void this.#deps.clock.schedule(WAIT_MS, resolve));
    }
    return false;
  }
}
