/**
 * First-generation Shelly devices: `shellies/<id>/relay/0`, `…/relay/0/power`, `…/sensor/temperature` and the like, each with one value. The levels
 * after the id form the key. Watt-minutes are converted to watt-hours, the unit of later generations.
 */
import { detail } from "../../../../lib/core/domain-error.ts";
import { omit } from "../../../../lib/core/omit.ts";
import { type Normalized, SHELLY_GEN1_BASE } from "../../integrations.types.ts";
import { type Fields, numberOf, objectOf, objectsOf } from "../fields.ts";
import { textsOf } from "../lorawan.ts";
import {
  COMMAND_TO_DEVICE,
  ensureObject,
  flatten,
  ignored,
  jsonOrText,
  NOT_MEASURED,
  type NotedMessage,
  reading,
} from "../topic-devices.ts";

const WATT_MINUTES_PER_WATT_HOUR = 60;

const OUTPUT = /^(?:relay|light|color|white)\/\d{1,2}$/;
const VALUE =
  /^(?:(?:relay|roller|light|color|white|emeter|valve|thermostat)\/\d{1,2}(?:\/[a-z_]{1,32})?|relay\/(?:power|energy)|(?:input|longpush|ext_temperature|ext_humidity|ext_switch|adc)\/\d{1,2}|sensor\/[a-z_]{1,32}|temperature(?:_f|_status)?|overtemperature|voltage)$/;
const COMMAND = /(?:^|\/)(?:command(?:\/[a-z_]+)?|set)$/;
/** Meters in watt-minutes; `total` and `total_returned` of an energy meter count watt-hours. */
const ENERGY = /\/(?:returned_)?energy$/;
const COVER_POSITION = /^roller\/\d{1,2}\/pos$/;
/** States that are sent as 0 or 1. */
const FLAG = /^(?:input|longpush|ext_switch)\/\d{1,2}$|^overtemperature$/;
const LIGHT_STATUS = /^(light|color|white)\/(\d{1,2})\/status$/;
const INPUT_EVENT = /^input_event\/(\d{1,2})$/;

const LIGHT_LEFT_OUT = new Set(["ison", "source", "overpower"]);
const isTimer = (key: string) => key === "has_timer" || key.startsWith("timer_");

const FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  [0, false],
  [1, true],
]);
const OUTPUTS: ReadonlyMap<unknown, boolean> = new Map([
  ["on", true],
  ["off", false],
]);

/** Returns the value of a topic; `undefined` if it has none. */
function plainValue(path: string, body: unknown): unknown {
  if (body === "" || body === null) return undefined;
  if (FLAG.test(path)) return FLAGS.get(body) ?? body;
  if (OUTPUT.test(path)) return OUTPUTS.get(body) ?? body;
  // A cover that is not calibrated reports -1.
  if (COVER_POSITION.test(path)) return body === -1 ? undefined : body;
  if (!ENERGY.test(path)) return body;
  const wattMinutes = numberOf(body);
  return wattMinutes === undefined ? undefined : wattMinutes / WATT_MINUTES_PER_WATT_HOUR;
}

function valuesOf(path: string, body: unknown): Record<string, unknown> {
  const key = path.replaceAll("/", "_");
  // The overload switched the output off.
  if (OUTPUT.test(path) && body === "overpower") return { [key]: false, [`${key}_event`]: body };
  return flatten({ [key]: plainValue(path, body) });
}

function lightStatus(kind: string, index: string, status: Fields): Record<string, unknown> {
  const prefix = `${kind}_${index}`;
  const isLeftOut = (key: string) => LIGHT_LEFT_OUT.has(key) || isTimer(key);
  return {
    ...(typeof status.ison === "boolean" && { [prefix]: status.ison }),
    ...flatten(status, { prefix, isLeftOut }),
  };
}

/** Returns the values of an input. An input that was not pressed since startup reports an empty event. */
const inputEvent = (index: string, { event, event_cnt: count }: Fields) =>
  event === "" ? {} : flatten({ event, event_cnt: count }, { prefix: `input_${index}` });

/** Returns the status of a motion sensor, which sends all values in one message. */
const motionStatus = ({ bat, tmp, ...status }: Fields) =>
  flatten(
    {
      ...omit(status, "timestamp", "unixtime"),
      battery: numberOf(bat),
      temperature: numberOf(objectOf(tmp)?.value),
    },
    { prefix: "sensor" },
  );

/** Returns the values of `info` that have no topics of their own; a radiator valve sends no other message. */
function infoOf({ wifi_sta, uptime, ram_free, bat, thermostats }: Fields): Record<string, unknown> {
  const battery = objectOf(bat);
  const valves = objectsOf(thermostats).map(({ pos, target_t, tmp }, index) => [
    `thermostat_${index}`,
    { pos, target_t: numberOf(objectOf(target_t)?.value), temperature: numberOf(objectOf(tmp)?.value) },
  ]);
  return flatten({
    wifi: { rssi: numberOf(objectOf(wifi_sta)?.rssi) },
    sys: { uptime: numberOf(uptime), ram_free: numberOf(ram_free) },
    sensor: { battery: numberOf(battery?.value), battery_voltage: numberOf(battery?.voltage) },
    ...Object.fromEntries(valves),
  });
}

function announced(device: string | undefined, { id, model, mac, ip, fw_ver }: Fields): Normalized {
  const name = device ?? (typeof id === "string" && /^[^/+#]+$/.test(id) ? SHELLY_GEN1_BASE + id : undefined);
  const attributes = textsOf({ model, mac, ip, firmware: fw_ver });
  if (name === undefined || Object.keys(attributes).length === 0)
    return ignored(detail("ignored.device_details"));
  const { type } = textsOf({ type: model });
  const reference = { externalId: name, name, ...(typeof type === "string" && { type }) };
  return { messages: [{ ...reading(name, {}), kind: "attributes", device: reference, attributes }] };
}

function telemetryOf(path: string, message: NotedMessage): Record<string, unknown> | undefined {
  const object = () => ensureObject(jsonOrText(message));
  const [, kind, index] = LIGHT_STATUS.exec(path) ?? [];
  if (kind !== undefined && index !== undefined) return lightStatus(kind, index, object());
  const [, input] = INPUT_EVENT.exec(path) ?? [];
  if (input !== undefined) return inputEvent(input, object());
  if (path === "status") return motionStatus(object());
  if (path === "info") return infoOf(object());
  return VALUE.test(path) ? valuesOf(path, jsonOrText(message)) : undefined;
}

/** Returns `undefined` for a topic that does not belong to the first generation. */
export function readGen1(levels: readonly string[], message: NotedMessage): Normalized | undefined {
  const [base, id = "", ...rest] = levels;
  if (base !== "shellies") return undefined;
  if (id === "announce" && rest.length === 0) return announced(undefined, ensureObject(jsonOrText(message)));
  const path = rest.join("/");
  if (COMMAND.test(levels.slice(1).join("/"))) return ignored(COMMAND_TO_DEVICE);
  if (id === "") return undefined;
  const device = SHELLY_GEN1_BASE + id;
  if (path === "announce") return announced(device, ensureObject(jsonOrText(message)));
  const telemetry = telemetryOf(path, message);
  if (telemetry === undefined) return undefined;
  return Object.keys(telemetry).length > 0
    ? { messages: [reading(device, telemetry)] }
    : ignored(NOT_MEASURED);
}
