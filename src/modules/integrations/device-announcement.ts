import { unitSymbol } from "../../lib/key-format.ts";
import type { KeyMetadata, KeyMetadataMap } from "../../lib/key-metadata.ts";
import { SERVER_LEVEL } from "../../lib/mqtt/reserved-topics.ts";
import type { DeviceWithActivity } from "../devices/devices.types.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import { OWN_OBJECT_PREFIX } from "./adapters/home-assistant.ts";

/** Writes the announcement of a device of this program, as Home Assistant's "MQTT discovery" defines it. */

const KEYS_MAX = 200;
const KEY_CHARACTERS_MAX = 128;

/** Classes of Home Assistant that follow from the unit alone. */
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

/** A component's id: the key itself if it is plain, so that it reads well in Home Assistant. */
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

/** Messages carry only the keys that a device has sent: without the key, the state stays as it is. */
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

export interface AnnouncedOwnDevice {
  readonly device: Pick<DeviceWithActivity, "deviceId" | "name" | "label" | "deviceType">;
  readonly latest: Readonly<Record<string, TelemetryValue>>;
  readonly keys: KeyMetadataMap;
  readonly version: string;
}

export const ownAnnouncementTopic = (prefix: string, deviceId: string): string =>
  `${prefix}/device/${OWN_OBJECT_PREFIX}${deviceId}/config`;

/** Returns the JSON text; `undefined` for a device without values. */
export function ownAnnouncement({ device, latest, keys, version }: AnnouncedOwnDevice): string | undefined {
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
