import { detail } from "../../lib/core/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import { toPlainJson } from "../../lib/json/plain-json.ts";
import { commandEmpty, commandInvalid } from "./commands.errors.ts";
import type { CommandRequest } from "./commands.types.ts";

const METHOD_LENGTH_MAX = 256;
/** Max. bytes of params, equal to the largest response of a device; fits into one message. A thousand commands may wait for one device. */
const PARAMS_BYTES_MAX = 64 * 1024;

/**
 * Reduces a request to a method and its parameters: `command` unchanged; `method` with `params`; `key` and `value` → `setValue {key, value}`;
 * `channel` and `state` → `setState {channel, state}`; otherwise `type`.
 * @throws DomainError `command.empty`, `command.invalid`
 */
export function reduceRequest(request: CommandRequest): { method: string; params: JsonValue } {
  const { command, method, params, key, value, channel, state, type } = request;
  if (command !== undefined) return reduceCommand(command, type);
  if (method !== undefined) return checked(method, params ?? {});
  if (key !== undefined && value !== undefined) return checked("setValue", { key, value });
  if (channel !== undefined && state !== undefined) return checked("setState", { channel, state });
  if (type === undefined) throw commandEmpty();
  return checked(type, params ?? {});
}

function reduceCommand(command: unknown, type: string | undefined): { method: string; params: JsonValue } {
  if (!isJsonObject(command)) throw commandInvalid(detail("rule.command_not_object"));
  const { method, params, ...others } = command;
  if (method === undefined) return checked(type ?? "command", command);
  if (typeof method !== "string") throw commandInvalid(detail("rule.method_not_text"));
  return checked(method, params ?? others);
}

function checked(method: string, params: unknown): { method: string; params: JsonValue } {
  if (method === "" || method.length > METHOD_LENGTH_MAX)
    throw commandInvalid(detail("rule.method_length", { max: METHOD_LENGTH_MAX }));
  return { method, params: toCommandJson(params, "params") };
}

/**
 * Returns the parameters or the response of a command (`name`) for storage: at most 64 KiB of JSON.
 * @throws DomainError `command.invalid`
 */
export function toCommandJson(value: unknown, name: "params" | "response"): JsonValue {
  // Measured before the value is traversed, because a megabyte of numbers would block everybody.
  if (Buffer.byteLength(JSON.stringify(value) ?? "") > PARAMS_BYTES_MAX)
    throw commandInvalid(detail("rule.part_kib_max", { name, max: PARAMS_BYTES_MAX / 1024 }));
  return toPlainJson(value, "command");
}
