import { settingOf } from "../../lib/command-setting.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import { SHELLY_GEN1_BASE } from "../integrations/integrations.types.ts";

/** Commands of Shelly devices of the first generation, which have a topic for each of their parts. */

/** Methods for the device itself, sent to its own command topic. */
const deviceCommands = new Set(["announce", "update", "update_fw"]);
const PART = /^(relay|roller|light|color|white|valve|thermostat)_(\d{1,2})(?:_([a-z_]{1,32}))?$/;
/** Keys of an output that later generations have, too. */
const LATER = /^(?:switch|light)_\d{1,3}_output$/;
const covers = new Set(["roller", "valve"]);
const lights = new Set(["light", "color", "white"]);

function payloadOf(kind: string, value: JsonValue): string {
  if (typeof value === "boolean") return covers.has(kind) ? (value ? "open" : "close") : value ? "on" : "off";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function partTopic([, kind = "", index, property]: RegExpExecArray, value: JsonValue) {
  const part = `${kind}/${index}`;
  if (lights.has(kind) && property !== undefined)
    return { topic: `${part}/set`, payload: JSON.stringify({ [property]: value }) };
  if (typeof value === "object" && value !== null)
    return { topic: `${part}/set`, payload: JSON.stringify(value) };
  const topic = property === undefined ? `${part}/command` : `${part}/command/${property}`;
  return { topic, payload: payloadOf(kind, value) };
}

/** Returns `undefined` for a device, or a command, of a later generation. */
export function gen1Command(
  externalId: string,
  command: { readonly method: string; readonly params: JsonValue },
): BrokerMessage | undefined {
  const { name, value } = settingOf(command);
  if (!externalId.startsWith(SHELLY_GEN1_BASE) || LATER.test(name)) return undefined;
  if (deviceCommands.has(name)) return { topic: `${externalId}/command`, payload: name, qos: 1 };
  const part = PART.exec(name);
  if (part === null) return undefined;
  const { topic, payload } = partTopic(part, value);
  return { topic: `${externalId}/${topic}`, payload, qos: 1 };
}
