import type { DeviceId, TenantId } from "../lib/ids.ts";
import type { Alarm } from "../modules/alarms/alarms.types.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DeviceActivity, DeviceWithActivity } from "../modules/devices/devices.types.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { Reading } from "../modules/telemetry/telemetry.types.ts";
import type { Clock } from "../platform/clock.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";
import { createPeriodic } from "../platform/periodic.ts";
import { type ApplicationTopic, readFilter, topicFor } from "./application-topics.ts";
import type { MqttApplication, MqttServer, SendState } from "./mqtt.types.ts";

/** Devices looked up at once for a new subscription. */
const PAGE = 200;
/** Time for which a client that reads slowly is waited for between two messages, and how often. */
const WAIT_MS = 50;
const WAITS_MAX = 600;
/** Keys that ended by their date are noticed within this. */
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
  ...{ alarmId, deviceId, name: alarmType, severity, status, message, escalationLevel: rest.escalationLevel },
  createdAt: new Date(rest.createdAt).toISOString(),
  updatedAt: new Date(rest.updatedAt).toISOString(),
});

/**
 * Creates the feed that applications subscribe to, on `lineside/devices/{deviceId}/telemetry | attributes | alarms | state`. It
 * publishes each event as it happens. On a new subscription it sends the present state, read from the store instead of retained
 * messages.
 */
export function createApplicationFeed(deps: {
  mqtt: () => MqttServer;
  devices: Pick<DevicesService, "list" | "get">;
  store: Pick<TelemetryStore, "latest">;
  activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  openAlarms: (deviceId: DeviceId) => readonly Alarm[];
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { mqtt, devices, store, clock, events, log } = deps;

  /** `under`: whose topic it is, where it is not the device's own. */
  function publish(
    device: Device,
    kind: ApplicationTopic,
    { body, under = device.deviceId }: { body: () => unknown; under?: DeviceId },
  ): void {
    const { applications } = mqtt();
    if (applications.idle) return;
    applications
      .publishToSubscribers(device, topicFor(under, kind), () => encode(body()))
      .catch((error) => log.debug("an event was not sent to an application", { error }));
  }

  function sweep(): void {
    for (const applicationId of [...mqtt().applications.revoked()])
      mqtt().disconnectApplication(applicationId);
  }

  events.on("attributes.changed", ({ scope, values, deleted, ...device }) =>
    publish(device, "attributes", {
      body: () => ({ scope, values, ...(deleted.length > 0 && { deleted }) }),
    }),
  );
  events.on("device.state", ({ active, lastActivityAt, ...device }) =>
    publish(device, "state", { body: () => stateOf({ active, lastActivityAt }) }),
  );
  events.on("alarm.changed", ({ event, ...alarm }) => {
    const body = () => ({ event, ...alarmBody(alarm) });
    publish(alarm, "alarms", { body });
    // To whoever may hear of the device itself.
    if (alarm.gatewayId !== null) publish(alarm, "alarms", { body, under: alarm.gatewayId });
  });
  events.on("session.ended", ({ sessionId }) => mqtt().disconnectApplication(sessionId));
  events.on("user.access", sweep);
  const sweeping = createPeriodic({ clock, log, intervalMs: SWEEP_MS, work: sweep });

  /** Devices that the application may see, a page at a time. */
  function* pagesOf(
    { caller }: MqttApplication,
    deviceId: DeviceId | undefined,
  ): Iterable<DeviceWithActivity[]> {
    if (caller === undefined) return;
    if (deviceId !== undefined) {
      yield [devices.get(caller, deviceId)];
      return;
    }
    for (let offset = 0; ; offset += PAGE) {
      const { items } = devices.list(caller, { limit: PAGE, offset, sort: "createdAt" });
      yield items;
      if (items.length < PAGE) return;
    }
  }

  /** Returns `false` if the client has gone, or takes nothing for half a minute. */
  async function sendPatiently(send: SendState, topic: string, payload: Uint8Array): Promise<boolean> {
    for (let wait = 0; wait < WAITS_MAX; wait++) {
      const outcome = send(topic, payload);
      if (outcome !== "later") return outcome === "sent";
      await new Promise<void>((resolve) => void clock.schedule(WAIT_MS, resolve));
    }
    return false;
  }

  /** Returns the present state of these devices, in the order in which it is sent. */
  async function messagesOf(page: DeviceWithActivity[], kinds: readonly ApplicationTopic[]) {
    const ids = page.map(({ deviceId }) => deviceId);
    const latest = kinds.includes("telemetry") ? await store.latest(ids) : [];
    const telemetry = latest
      .filter(({ ts }) => ts > 0)
      // The newest values are of different ages: each has its own time.
      .map(({ deviceId, ...snapshot }) => [topicFor(deviceId, "telemetry"), snapshot] as const);
    const alarms = page.flatMap(({ deviceId }) =>
      (kinds.includes("alarms") ? deps.openAlarms(deviceId) : []).map(
        (alarm) => [topicFor(deviceId, "alarms"), alarmBody(alarm)] as const,
      ),
    );
    if (!kinds.includes("state")) return [...telemetry, ...alarms];
    const states = page.map(({ deviceId, activity }) => {
      return [topicFor(deviceId, "state"), stateOf(deps.activityOf(deviceId) ?? activity)] as const;
    });
    return [...telemetry, ...alarms, ...states];
  }

  async function sendPage(
    messages: Awaited<ReturnType<typeof messagesOf>>,
    send: SendState,
  ): Promise<boolean> {
    for (const [topic, body] of messages) if (!(await sendPatiently(send, topic, encode(body)))) return false;
    return true;
  }

  return {
    start: sweeping.start,
    stop: sweeping.stop,
    /** Publishes an accepted message; costs one comparison while nobody listens. */
    onTelemetry(device: IngestDevice, readings: readonly Reading[]): void {
      if (mqtt().applications.idle) return;
      for (const { ts, values } of readings) publish(device, "telemetry", { body: () => ({ ts, values }) });
    },
    async onSubscribed(application: MqttApplication, filter: string, send: SendState): Promise<void> {
      const asked = readFilter(filter);
      if (asked === undefined) return;
      try {
        for (const page of pagesOf(application, asked.deviceId))
          if (!(await sendPage(await messagesOf(page, asked.kinds), send))) return;
      } catch (error) {
        log.debug("the present state was not sent to an application", { filter, error }); // a device that is not there, say
      }
    },
  };
}
