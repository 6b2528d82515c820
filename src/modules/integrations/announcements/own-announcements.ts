/** Writes the announcement of a device of this program, as defined by Home Assistant's "MQTT discovery". */
import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import { unitSymbol } from "../../../lib/keys/key-format.ts";
import type { KeyMetadata, KeyMetadataMap } from "../../../lib/keys/key-metadata.ts";
import { SERVER_LEVEL } from "../../../lib/mqtt/reserved-topics.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { Logger } from "../../../platform/core/log.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { DevicesService } from "../../devices/devices.service.ts";
import type { DeviceWithActivity } from "../../devices/devices.types.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { LocalTopics } from "../../mqtt-clients/mqtt-clients.types.ts";
import type { LatestSnapshot, TelemetryValue } from "../../telemetry/telemetry.types.ts";
import { OWN_OBJECT_PREFIX } from "../adapters/home-assistant/home-assistant.ts";
import { topicBases } from "../adapters/topic-bases.ts";
import { integrationPrincipal } from "../integration-principal.ts";
import type { Integration } from "../integrations.resource.ts";

const KEYS_MAX = 200;
const KEY_CHARACTERS_MAX = 128;

/** Home Assistant classes that the unit alone determines. */
const classByUnit: Readonly<Record<string, string>> = {
  "°C": "temperature",
  "°F": "temperature",
  W: "power",
  kW: "power",
  V: "voltage",
  mV: "voltage",
  A: "current",
  mA: "current",
  Hz: "frequency",
  lx: "illuminance",
  Pa: "pressure",
  hPa: "pressure",
  kPa: "pressure",
  mbar: "pressure",
  bar: "pressure",
};
/** Classes that Home Assistant accepts only for counters. */
const counterClassByUnit: Readonly<Record<string, string>> = { Wh: "energy", kWh: "energy", MWh: "energy" };

const classOf = (unit: string, isCounter: boolean): string | undefined => {
  const classes = isCounter ? { ...counterClassByUnit } : classByUnit;
  return Object.hasOwn(classes, unit) ? classes[unit] : undefined;
};

/** Returns a component's id: the key itself if it is plain, for readability in Home Assistant. */
const componentId = (key: string): string =>
  /^[\w-]+$/.test(key) ? key : `${key.replaceAll(/[^\w-]/g, "_")}_${Bun.hash(key).toString(36)}`;

function measurement(metadata: KeyMetadata | undefined, value: TelemetryValue) {
  if (typeof value !== "number") return {};
  const { unit, decimals, kind } = metadata ?? {};
  const symbol = unit === undefined ? undefined : unitSymbol(unit);
  const isCounter = kind === "counter";
  const deviceClass = symbol === undefined ? undefined : classOf(symbol, isCounter);
  return {
    ...(symbol !== undefined && { unit_of_measurement: symbol }),
    ...(deviceClass !== undefined && { device_class: deviceClass }),
    ...(decimals !== undefined && { suggested_display_precision: decimals }),
    ...(kind !== "state" && { state_class: isCounter ? "total_increasing" : "measurement" }),
  };
}

/** Returns a template that keeps the state if a message does not contain the key. */
function templateOf(key: string, value: TelemetryValue): string {
  const name = JSON.stringify(key);
  const read = `value_json['values'][${name}]`;
  const isPresent = `${name} in value_json['values']`;
  return typeof value === "string"
    ? `{{ ${read} if ${isPresent} else this.state }}`
    : `{% if ${isPresent} %}{{ ${read} }}{% endif %}`;
}

function componentOf(
  deviceId: string,
  [key, value]: [string, TelemetryValue],
  metadata: KeyMetadata | undefined,
) {
  const isBoolean = typeof value === "boolean";
  return {
    platform: isBoolean ? "binary_sensor" : "sensor",
    unique_id: `${OWN_OBJECT_PREFIX}${deviceId}_${componentId(key)}`,
    name: metadata?.name ?? key,
    value_template: templateOf(key, value),
    ...(isBoolean && { payload_on: "True", payload_off: "False" }),
    ...measurement(metadata, value),
  };
}

interface AnnouncedOwnDevice {
  readonly device: Pick<DeviceWithActivity, "deviceId" | "name" | "label" | "deviceType">;
  readonly latest: Readonly<Record<string, TelemetryValue>>;
  readonly keys: KeyMetadataMap;
  readonly version: string;
}

const ownAnnouncementTopic = (prefix: string, deviceId: string): string =>
  `${prefix}/device/${OWN_OBJECT_PREFIX}${deviceId}/config`;

/** Returns JSON; `undefined` for a device without values. */
function ownAnnouncement({ device, latest, keys, version }: AnnouncedOwnDevice): string | undefined {
  const { deviceId } = device;
  const plain = Object.entries(latest)
    .filter(([key, value]) => key.length <= KEY_CHARACTERS_MAX && value !== null && typeof value !== "object")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, KEYS_MAX);
  if (plain.length === 0) return undefined;
  const topic = `${SERVER_LEVEL}/devices/${deviceId}`;
  return JSON.stringify({
    device: {
      identifiers: [`${OWN_OBJECT_PREFIX}${deviceId}`],
      name: device.label || device.name,
      model: device.deviceType,
    },
    origin: { name: "Lineside", sw_version: version },
    state_topic: `${topic}/telemetry`,
    availability_topic: `${topic}/state`,
    availability_template: "{{ 'online' if value_json.active else 'offline' }}",
    components: Object.fromEntries(
      plain.map((entry) => [componentId(entry[0]), componentOf(deviceId, entry, keys.get(entry[0]))]),
    ),
  });
}

const PAGE = 200;
/** Max. time in ms until new keys, names and devices are announced. */
const SWEEP_MS = 30_000;
/** Delay of a sweep after a change, so that many changes share one sweep. */
const CHANGE_DELAY_MS = 500;

export interface OwnAnnouncementsDeps {
  readonly devices: Pick<DevicesService, "pages">;
  readonly keysOf: (tenantId: TenantId, profileId: DeviceWithActivity["profileId"]) => KeyMetadataMap;
  /** Yields the newest values, of some devices at a time. */
  readonly latest: (
    deviceIds: readonly DeviceId[],
  ) => AsyncIterable<readonly Pick<LatestSnapshot, "deviceId" | "values">[]>;
  /** Returns whether the device was created by an announcement, which other programs have already read. */
  readonly isAnnounced: (device: DeviceWithActivity) => boolean;
  readonly topics: LocalTopics;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Announces the devices of one tenant under one prefix, and keeps the announcements up to date. */
class Announcer {
  /** Hash of the retained message, by topic. */
  readonly #published = new Map<string, bigint | number>();
  readonly #prefix: string;
  #unfollow = () => {};
  #cancel = () => {};
  #isStopped = false;
  /** True if a sweep is due after a change; further changes do not delay it. */
  #isSoon = false;
  /** The sweep in progress; the next one waits for it. */
  #sweeping: Promise<void> = Promise.resolve();

  readonly #deps: OwnAnnouncementsDeps;

  constructor(
    deps: OwnAnnouncementsDeps,
    readonly integration: Integration,
  ) {
    this.#deps = deps;
    this.#prefix = topicBases(integration.settings)[0]?.join("/") ?? "homeassistant";
  }

  start(): void {
    const { topics } = this.#deps;
    const { tenantId } = this.integration;
    const own = ownAnnouncementTopic(this.#prefix, "");
    const begin = own.slice(0, -"/config".length);
    for (const { topic, payload } of topics.retained(tenantId, `${this.#prefix}/device/+/config`))
      if (topic.startsWith(begin)) this.#published.set(topic, Bun.hash(payload));
    this.#unfollow = topics.follow(tenantId, [`${this.#prefix}/status`], async ({ payload }) => {
      // Home Assistant has started, and may have lost what it had read.
      if (Buffer.from(payload).toString() !== "online") return;
      for (const own of this.#published.keys()) this.#published.set(own, 0);
      this.changed();
    });
    this.changed();
  }

  /** Sweeps soon. */
  changed(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#schedule(CHANGE_DELAY_MS);
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    this.#unfollow();
    return this.#sweeping;
  }

  /** Stops, and removes all announcements. */
  async clear(): Promise<void> {
    await this.stop();
    for (const topic of this.#published.keys()) {
      await this.#publish(topic, "");
      await workShare.pause();
    }
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel();
    this.#cancel = this.#deps.clock.schedule(delayMs, () => {
      this.#isSoon = false;
      const { integrationId } = this.integration;
      this.#sweeping = this.#sweeping
        .then(() => this.#sweep())
        .catch((error) => this.#deps.log.warn("devices were not announced", { integrationId, error }));
      this.#schedule(SWEEP_MS);
    });
  }

  async #sweep(): Promise<void> {
    const { devices } = this.#deps;
    const present = new Set<string>();
    for (const items of devices.pages(integrationPrincipal(this.integration), PAGE)) {
      for await (const [topic, text] of this.#announcementsOf(items)) {
        present.add(topic);
        const hash = Bun.hash(text);
        if (this.#published.get(topic) === hash) continue;
        await this.#publish(topic, text);
        this.#published.set(topic, hash);
      }
      await workShare.pause(); // nothing may be left to announce of a page
      if (this.#isStopped) break;
    }
    if (this.#isStopped) return;
    for (const topic of [...this.#published.keys()].filter((each) => !present.has(each))) {
      await this.#publish(topic, "");
      this.#published.delete(topic);
      await workShare.pause();
    }
  }

  /** Yields the announcements of these devices, which take a millisecond each if they have many keys with long names. */
  async *#announcementsOf(
    page: readonly DeviceWithActivity[],
  ): AsyncGenerator<readonly [topic: string, text: string]> {
    const { latest, keysOf, isAnnounced, version } = this.#deps;
    const own = new Map(page.filter((each) => !isAnnounced(each)).map((device) => [device.deviceId, device]));
    for await (const snapshots of latest([...own.keys()]))
      for (const { deviceId, values } of snapshots) {
        await workShare.pause();
        const device = own.get(deviceId);
        if (device === undefined) continue;
        const keys = keysOf(device.tenantId, device.profileId);
        const text = ownAnnouncement({ device, latest: values, keys, version });
        if (text !== undefined) yield [ownAnnouncementTopic(this.#prefix, deviceId), text];
      }
  }

  #publish(topic: string, text: string): Promise<void> {
    const { tenantId } = this.integration;
    return this.#deps.topics.publish(tenantId, { topic, payload: Buffer.from(text), qos: 1, retain: true });
  }
}

/** Announces the devices of tenants that have enabled it, to programs such as Home Assistant at the embedded broker. */
export class OwnAnnouncements {
  /** Keyed by integration id. */
  readonly #announcers = new Map<string, Announcer>();
  #isStarted = false;

  readonly #deps: OwnAnnouncementsDeps & {
    readonly list: () => readonly Integration[];
    readonly find: (integrationId: string) => Integration | undefined;
  };

  constructor(
    deps: OwnAnnouncementsDeps & {
      readonly list: () => readonly Integration[];
      readonly find: (integrationId: string) => Integration | undefined;
    },
  ) {
    this.#deps = deps;
  }

  /** Follows changes of integrations and devices. The module calls it once. */
  subscribe(events: EventBus<DomainEvents>): void {
    events.on("integration.changed", ({ integrationId }) => this.#refresh(integrationId));
    const onDevice = ({ tenantId }: { tenantId: TenantId }) => this.#changed(tenantId);
    events.on("device.created", onDevice);
    events.on("device.updated", onDevice);
    events.on("device.deleted", onDevice);
    events.on("key-metadata.changed", onDevice);
    events.on("tenant.deleted", ({ tenantId }) => {
      for (const [integrationId, announcer] of this.#announcers)
        if (announcer.integration.tenantId === tenantId) {
          this.#announcers.delete(integrationId);
          void announcer.stop();
        }
    });
  }

  start(): void {
    this.#isStarted = true;
    for (const integration of this.#deps.list()) this.#begin(integration);
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    const announcers = [...this.#announcers.values()];
    this.#announcers.clear();
    await Promise.all(announcers.map((announcer) => announcer.stop()));
  }

  #changed(tenantId: TenantId): void {
    for (const announcer of this.#announcers.values())
      if (announcer.integration.tenantId === tenantId) announcer.changed();
  }

  #begin(integration: Integration): void {
    const { settings, status, integrationId } = integration;
    if (!this.#isStarted || settings.announceDevices !== true || status === "paused" || status === "draft")
      return;
    const announcer = new Announcer(this.#deps, integration);
    this.#announcers.set(integrationId, announcer);
    announcer.start();
  }

  #refresh(integrationId: string): void {
    const { find, log } = this.#deps;
    const announcer = this.#announcers.get(integrationId);
    const integration = find(integrationId);
    const isPaused = integration?.settings.announceDevices === true && integration.status === "paused";
    this.#announcers.delete(integrationId);
    // Announcements under another prefix are removed before those under the new one are written.
    const isSame =
      announcer !== undefined &&
      integration?.settings.announceDevices === true &&
      Bun.deepEquals(integration.settings.mqtt, announcer.integration.settings.mqtt);
    const ended = isPaused || isSame ? announcer?.stop() : announcer?.clear();
    Promise.resolve(ended)
      .then(() => {
        const current = find(integrationId);
        if (current !== undefined && !this.#announcers.has(integrationId)) this.#begin(current);
      })
      .catch((error) => log.warn("announcements were not removed", { integrationId, error }));
  }
}
