import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import type { AlarmEventType } from "./alarms.types.ts";
import { only, text, wrong } from "./rule-fields.ts";

/** What of an alarm actions may follow. */
const occasions = ["CREATED", "REOPENED", "SEVERITY_CHANGED", "ESCALATED", "ACK", "CLEARED"] as const;
const ACTIONS_MAX = 10;
const METHOD_MAX = 256;
const ID_MAX = 64;

/** What the gateway does by itself when something happens to an alarm. */
export interface AlarmAction {
  readonly on: AlarmEventType;
  readonly type: "command";
  /** Null: the device of the alarm. */
  readonly deviceId: string | null;
  readonly method: string;
  readonly params: JsonValue;
}

const later: Readonly<Record<string, string>> = {
  integration_downlink: "downlinks through integrations cannot be sent by rules yet; use a command",
};

function compileAction(given: unknown, where: string): AlarmAction {
  if (!isJsonObject(given)) throw wrong(where, "must be an object");
  const on = occasions.find((known) => known === given.on);
  if (on === undefined) throw wrong(`${where}.on`, `must be one of ${occasions.join(", ")}`);
  if (given.type !== "command") throw wrong(`${where}.type`, later[String(given.type)] ?? "must be command");
  const node = only(given, where, ["on", "type", "command", "deviceId"]);
  const command = only(node.command, `${where}.command`, ["method", "params"]);
  return {
    on,
    type: "command",
    deviceId: node.deviceId === undefined ? null : text(node.deviceId, `${where}.deviceId`, ID_MAX),
    method: text(command.method, `${where}.command.method`, METHOD_MAX),
    params: (command.params ?? {}) as JsonValue, // parsed from JSON
  };
}

/** `actions: [{on, type: "command", command: {method, params?}, deviceId?}]` */
export function compileActions(given: unknown, where: string): readonly AlarmAction[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length > ACTIONS_MAX)
    throw wrong(where, `must be a list of at most ${ACTIONS_MAX} actions`);
  return given.map((one, index) => compileAction(one, `${where}[${index}]`));
}
