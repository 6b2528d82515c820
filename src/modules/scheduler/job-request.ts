import type { DeviceId } from "../../lib/ids.ts";
import { isJsonObject, type JsonObject } from "../../lib/json.ts";
import { toPlainJson } from "../../lib/plain-json.ts";
import type { CommandRequest } from "../commands/commands.types.ts";
import { actionInvalid } from "./scheduler.errors.ts";
import type { JobAction, JobTargets } from "./scheduler.types.ts";

const TARGETS_MAX = 1_000;
const ATTRIBUTES_MAX = 512;
const KEY_BYTES_MAX = 256;
const ACTION_BYTES_MAX = 64 * 1024;

/** An action as it comes from the wire. */
export interface ActionRequest {
  readonly type: "attributes" | "command";
  readonly deviceIds?: readonly string[] | undefined;
  readonly deviceType?: string | undefined;
  readonly attributes?: unknown;
  readonly command?: CommandRequest | undefined;
}

/** The action of a job, checked; `checkCommand` throws for a command that no device could be sent. @throws DomainError */
export function parseAction(
  given: ActionRequest,
  checks: {
    /** The ids as known ones; throws for what the caller may not act on. */
    targets: (deviceIds: readonly string[]) => DeviceId[];
    allOfType: () => void;
    command: (request: CommandRequest) => void;
  },
): JobAction {
  const targets = parseTargets(given, checks);
  if (given.type === "attributes") {
    if (given.command !== undefined) throw actionInvalid("command: belongs to a job of type command");
    return { ...targets, type: "attributes", attributes: parseAttributes(given.attributes) };
  }
  const { command } = given;
  if (given.attributes !== undefined) throw actionInvalid("attributes: belong to a job of type attributes");
  if (!isJsonObject(command)) throw actionInvalid("command: must be an object, as of POST …/commands");
  if (command.requestId !== undefined)
    throw actionInvalid("command.requestId: each run has its own; leave it out");
  checks.command(command);
  return { ...targets, type: "command", command: withinSize(command, "command") };
}

function parseTargets(
  { deviceIds, deviceType }: ActionRequest,
  checks: { targets: (deviceIds: readonly string[]) => DeviceId[]; allOfType: () => void },
): JobTargets {
  if ((deviceIds === undefined) === (deviceType === undefined))
    throw actionInvalid("deviceIds: give either these or deviceType");
  if (deviceIds !== undefined) {
    const distinct = [...new Set(deviceIds)];
    if (distinct.length === 0 || distinct.length > TARGETS_MAX)
      throw actionInvalid(`deviceIds: must be 1 to ${TARGETS_MAX}; for more, give deviceType`);
    return { deviceIds: checks.targets(distinct) };
  }
  checks.allOfType();
  return { deviceType: deviceType ?? "" };
}

function parseAttributes(given: unknown): JsonObject {
  if (!isJsonObject(given)) throw actionInvalid("attributes: must be an object of names to values");
  const keys = Object.keys(given);
  if (keys.length === 0 || keys.length > ATTRIBUTES_MAX)
    throw actionInvalid(`attributes: must be 1 to ${ATTRIBUTES_MAX}`);
  if (keys.some((key) => key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX))
    throw actionInvalid(`attributes: names have 1 to ${KEY_BYTES_MAX} bytes`);
  const plain = toPlainJson(given, "attribute");
  return withinSize(plain as JsonObject, "attributes"); // an object went in
}

function withinSize<Value>(value: Value, field: string): Value {
  if (Buffer.byteLength(JSON.stringify(value)) > ACTION_BYTES_MAX)
    throw actionInvalid(`${field}: must be no larger than ${ACTION_BYTES_MAX / 1024} KiB`);
  return value;
}
