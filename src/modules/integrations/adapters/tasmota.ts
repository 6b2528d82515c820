/**
 * Tasmota: `tele/<device>/SENSOR`, `STATE`, `LWT`, `stat/<device>/RESULT`, `POWER`, `STATUS8` … The full topic is configurable on the device; the
 * prefix is expected first (the default) or before the last level. Devices use local time, usually without a zone; only times with a zone are used.
 */
import { nonBlank } from "../../../lib/core/defined.ts";
import { detail } from "../../../lib/core/domain-error.ts";
import { parseWrittenTime } from "../../../lib/time/written-time.ts";
import type { AdapterDefinition, Normalized, NormalizedMessage } from "../integrations.types.ts";
import { type Fields, objectOf } from "./fields.ts";
import { textsOf } from "./lorawan.ts";
import {
  COMMAND_TO_DEVICE,
  ensureObject,
  ensureTopic,
  type FlattenRules,
  flatten,
  ignored,
  jsonOrText,
  NOT_MEASURED,
  type NotedMessage,
  noting,
  ofType,
  onOff,
  reading,
} from "./topic-devices.ts";

const PREFIXES = new Set(["tele", "stat", "cmnd"]);
const isPower = (key: string) => /^POWER\d{0,2}$/.test(key) || /^Switch\d{1,2}$/.test(key);
/** Fields of the message itself that are not measured. Within a sensor, the same names are measurements. */
const LEFT_OUT = new Set(["Time", "TempUnit", "PressureUnit", "SpeedUnit", "Mode", "SleepMode"]);
/** Fields of `Wifi` that are not measured. */
const LEFT_OUT_OF_WIFI = new Set(["SSId", "BSSId", "Mode"]);

const isLeftOut: NonNullable<FlattenRules["isLeftOut"]> = (key, { depth, parent, value }) =>
  (depth === 0 && LEFT_OUT.has(key)) ||
  (parent === "Wifi" && LEFT_OUT_OF_WIFI.has(key)) ||
  // Address of a sensor; a numeric Id is a reading of a card or fingerprint reader.
  (key === "Id" && depth > 0 && typeof value === "string");

interface TopicParts {
  readonly prefix: string;
  readonly device: string;
  readonly kind: string;
}

function placeOf(topic: string): TopicParts | undefined {
  const levels = topic.split("/");
  const kind = levels.pop();
  const first = levels[0];
  const last = levels.at(-1);
  if (kind === undefined || first === undefined || last === undefined || levels.length < 2) return undefined;
  if (PREFIXES.has(first)) return { prefix: first, device: levels.slice(1).join("/"), kind };
  if (PREFIXES.has(last)) return { prefix: last, device: levels.slice(0, -1).join("/"), kind };
  return undefined;
}

const telemetryOf = (body: Readonly<Record<string, unknown>>) =>
  flatten(body, {
    isLeftOut,
    hasPhases: true,
    value: (value, key) => (isPower(key) ? onOff(value) : value),
  });

/** Returns the time if it has a zone, which few devices send. */
function timeOf(body: Readonly<Record<string, unknown>>): number | undefined {
  const text = nonBlank(body.Time);
  const time = text === undefined ? "form" : parseWrittenTime(text);
  if (typeof time === "string" || time.offsetMs === undefined) return undefined;
  const ts = time.wall - time.offsetMs;
  return ts > Date.UTC(2015, 0, 1) ? ts : undefined;
}

/** Returns whether messages of the kind describe the device (versions, addresses); they are sent after each start and by STATUS. */
const isAboutItself = (kind: string) => /^INFO\d$/.test(kind) || /^STATUS\d{0,2}$/.test(kind);

/** Topics whose messages are always objects; on other topics, a rule of the device may publish a single value. */
const isOfObjects = (kind: string) => /^(?:SENSOR|STATE|RESULT|MARGINS|)$/.test(kind) || isAboutItself(kind);

const reasonOf = (kind: string) => (isAboutItself(kind) ? detail("ignored.device_details") : NOT_MEASURED);

/** Returns the data that a device sends about itself after each start (`INFO1` to `INFO3`) and on request (`STATUS`, `STATUS0` to `STATUS5`). */
function attributesOf(body: Fields) {
  const part = (name: string) => objectOf(body[name]) ?? {};
  // Before version 10 the fields of INFO were not in an object.
  const info = { ...body, ...part("Info1"), ...part("Info2"), ...part("Info3") };
  const { DeviceName, FriendlyName } = part("Status");
  const friendly: unknown = Array.isArray(FriendlyName) ? FriendlyName[0] : FriendlyName;
  const { Version = info.Version, Hardware } = part("StatusFWR");
  const { Hostname = info.Hostname, IPAddress = info.IPAddress, Mac } = part("StatusNET");
  const { RestartReason = info.RestartReason } = part("StatusPRM");
  return {
    ...textsOf({ module: info.Module, deviceName: DeviceName, friendlyName: friendly }),
    ...textsOf({ firmware: Version, hardware: Hardware, hostname: Hostname, ip: IPAddress, mac: Mac }),
    ...textsOf({ restartReason: RestartReason }),
  };
}

function read(place: TopicParts, message: NotedMessage): Normalized {
  const { device, kind } = place;
  const body = jsonOrText(message);
  if (kind === "LWT") return { messages: [reading(device, { online: body === "Online" })] };
  if (/^(UPTIME|LOGGING)$/.test(kind)) return ignored(NOT_MEASURED);
  if (typeof body !== "object" && !isOfObjects(kind))
    return { messages: [reading(device, { [kind]: onOff(body) })] };
  if (body === null) return ignored(NOT_MEASURED);
  const all = ensureObject(body);
  const status = objectOf(all.StatusSNS) ?? objectOf(all.StatusSTS);
  const attributes = isAboutItself(kind) ? attributesOf(all) : {};
  const described: NormalizedMessage[] =
    Object.keys(attributes).length === 0 ? [] : [{ ...reading(device, {}), kind: "attributes", attributes }];
  const reported = status ?? (isAboutItself(kind) ? {} : all);
  const telemetry = telemetryOf(reported);
  if (Object.keys(telemetry).length === 0)
    return described.length > 0 ? { messages: described } : ignored(reasonOf(kind));
  const ts = timeOf(reported);
  return { messages: [...described, reading(device, telemetry, ts === undefined ? {} : { ts })] };
}

export const tasmota: AdapterDefinition = {
  format: "tasmota",
  create: () => ({
    normalize(message) {
      const topic = ensureTopic(message);
      const place = placeOf(topic);
      if (place === undefined || place.device === "")
        return ignored(detail("ignored.topic_of_others", { system: "Tasmota" }));
      if (place.prefix === "cmnd") return ignored(COMMAND_TO_DEVICE);
      return noting(message, (noted) => ofType("tasmota", read(place, noted)));
    },
  }),
};
