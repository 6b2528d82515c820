/**
 * Shelly devices of all generations: `<prefix>/events/rpc` (NotifyStatus, NotifyFullStatus, NotifyEvent), `<prefix>/status/<component>`,
 * `<prefix>/online`. The prefix (by default the device's id) identifies the device. Keys of a component `switch:0` begin with `switch_0_`.
 */
import { nonBlank } from "../../../../lib/core/defined.ts";
import { detail } from "../../../../lib/core/domain-error.ts";
import { parseTimestamp } from "../../../../lib/time/timestamp.ts";
import {
  type AdapterDefinition,
  type Normalized,
  type NormalizedMessage,
  SHELLY_GEN1_BASE,
} from "../../integrations.types.ts";
import { type Fields, numberOf, objectOf, objectsOf } from "../fields.ts";
import {
  ensureObject,
  ensureTopic,
  flatten,
  ignored,
  jsonOrText,
  NOT_MEASURED,
  type NotedMessage,
  noting,
  ofType,
  reading,
} from "../topic-devices.ts";
import { readGen1 } from "./shelly-gen1.ts";

const CLOCK_IS_SET_FROM = Date.UTC(2015, 0, 1);
/** Fields that describe the component or past minutes instead of a current measurement. */
const LEFT_OUT = new Set(["id", "source", "by_minute", "minute_ts", "ts"]);
/** Components that describe the device itself. */
const OF_ITSELF = new Set([
  "sys",
  "wifi",
  "cloud",
  "mqtt",
  "ws",
  "ble",
  "eth",
  "matter",
  "knx",
  "ui",
  "bthome",
]);

const telemetryOf = (component: string, status: Fields) =>
  flatten(status, { prefix: component.replace(":", "_"), isLeftOut: (key) => LEFT_OUT.has(key) });

/** Reads a time in epoch seconds. A device without network time sends none, or a time in 1970. */
function timeOf(value: unknown, receivedAt: number): number | undefined {
  try {
    const ts = numberOf(value) === undefined ? 0 : parseTimestamp(value, receivedAt);
    return ts >= CLOCK_IS_SET_FROM ? ts : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the values of a status; of `wifi` the signal strength and of `sys` the memory. */
function statusOf(component: string, status: Fields): Readonly<Record<string, unknown>> {
  if (component === "wifi") return flatten({ rssi: numberOf(status.rssi) }, { prefix: "wifi" });
  if (component === "sys")
    return flatten(
      { uptime: numberOf(status.uptime), ram_free: numberOf(status.ram_free) },
      { prefix: "sys" },
    );
  return OF_ITSELF.has(component) ? {} : telemetryOf(component, status);
}

function notifiedStatus(device: string, params: Fields, receivedAt: number): NormalizedMessage[] {
  const telemetry: Record<string, unknown> = Object.create(null);
  for (const [component, status] of Object.entries(params)) {
    const fields = objectOf(status);
    if (fields) Object.assign(telemetry, statusOf(component, fields));
  }
  const ts = timeOf(params.ts, receivedAt);
  return Object.keys(telemetry).length > 0
    ? [reading(device, telemetry, ts === undefined ? {} : { ts })]
    : [];
}

/** Returns events: pressed buttons, or data sent by a script (`data`). */
function notifiedEvents(device: string, params: Fields, receivedAt: number): NormalizedMessage[] {
  return objectsOf(params.events).flatMap((event) => {
    const component = nonBlank(event.component);
    const name = nonBlank(event.event);
    if (component === undefined || name === undefined || name === "config_changed") return [];
    const ts = timeOf(event.ts ?? params.ts, receivedAt);
    const telemetry = {
      ...telemetryOf(component, { event: name }),
      ...telemetryOf(component, objectOf(event.data) ?? {}),
    };
    return [reading(device, telemetry, ts === undefined ? {} : { ts })];
  });
}

function notified(device: string, message: NotedMessage): Normalized {
  const body = ensureObject(jsonOrText(message));
  const params = objectOf(body.params) ?? {};
  const read = body.method === "NotifyEvent" ? notifiedEvents : notifiedStatus;
  if (!/^Notify(Event|Status|FullStatus)$/.test(nonBlank(body.method) ?? ""))
    return ignored(detail("ignored.no_notification"));
  const messages = read(device, params, message.receivedAt);
  return messages.length > 0 ? { messages } : ignored(NOT_MEASURED);
}

function status(device: string, component: string, message: NotedMessage): Normalized {
  const telemetry = statusOf(component, ensureObject(jsonOrText(message)));
  return Object.keys(telemetry).length > 0
    ? { messages: [reading(device, telemetry)] }
    : ignored(NOT_MEASURED);
}

function readLater(levels: readonly string[], message: NotedMessage): Normalized {
  const last = levels.at(-1) ?? "";
  const before = levels.at(-2);
  if (last === "online" && levels.length > 1)
    return { messages: [reading(levels.slice(0, -1).join("/"), { online: jsonOrText(message) === true })] };
  const device = levels.slice(0, -2).join("/");
  if (device !== "" && before === "events" && last === "rpc") return notified(device, message);
  if (device !== "" && before === "status") return status(device, last, message);
  return ignored(detail("ignored.topic_of_others", { system: "Shelly" }));
}

/** Names a first-generation device by its id without the common prefix. */
function named({ device, ...rest }: NormalizedMessage): NormalizedMessage {
  const { externalId = "" } = device;
  return { ...rest, device: { ...device, name: externalId.replace(SHELLY_GEN1_BASE, "") } };
}

function read(message: NotedMessage): Normalized {
  const levels = ensureTopic(message).split("/");
  const normalized = readGen1(levels, message) ?? readLater(levels, message);
  return ofType("shelly", { ...normalized, messages: normalized.messages.map(named) });
}

export const shelly: AdapterDefinition = {
  format: "shelly",
  create: () => ({ normalize: (message) => noting(message, read) }),
};
