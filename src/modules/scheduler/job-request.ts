import { detail } from "../../lib/domain-error.ts";
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
  actionRequest: ActionRequest,
  checks: {
    /** The ids as known ones; throws for what the caller may not act on. */
    targets: (deviceIds: readonly string[]) => DeviceId[];
    allOfType: () => void;
    command: (request: CommandRequest) => void;
  },
): JobAction {
  const targets = parseTargets(actionRequest, checks);
  if (actionRequest.type === "attributes") {
    if (actionRequest.command !== undefined) throw actionInvalid("command", detail("rule.command_job_only"));
    return { ...targets, type: "attributes", attributes: parseAttributes(actionRequest.attributes) };
  }
  const { command } = actionRequest;
  if (actionRequest.attributes !== undefined)
    throw actionInvalid("attributes", detail("rule.attributes_job_only"));
  if (!isJsonObject(command)) throw actionInvalid("command", detail("rule.command_object"));
  if (command.requestId !== undefined)
    throw actionInvalid("command.requestId", detail("rule.request_id_of_run"));
  checks.command(command);
  return { ...targets, type: "command", command: withinSize(command, "command") };
}

function parseTargets(
  { deviceIds, deviceType }: ActionRequest,
  checks: { targets: (deviceIds: readonly string[]) => DeviceId[]; allOfType: () => void },
): JobTargets {
  if ((deviceIds === undefined) === (deviceType === undefined))
    throw actionInvalid("deviceIds", detail("rule.devices_or_type"));
  if (deviceIds !== undefined) {
    const distinct = [...new Set(deviceIds)];
    if (distinct.length === 0 || distinct.length > TARGETS_MAX)
      throw actionInvalid("deviceIds", detail("rule.target_count", { max: TARGETS_MAX }));
    return { deviceIds: checks.targets(distinct) };
  }
  checks.allOfType();
  return { deviceType: deviceType ?? "" };
}

function parseAttributes(input: unknown): JsonObject {
  if (!isJsonObject(input)) throw actionInvalid("attributes", detail("rule.object_of_values"));
  const keys = Object.keys(input);
  if (keys.length === 0 || keys.length > ATTRIBUTES_MAX)
    throw actionInvalid("attributes", detail("rule.count_max", { max: ATTRIBUTES_MAX }));
  if (keys.some((key) => key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX))
    throw actionInvalid("attributes", detail("rule.name_bytes", { max: KEY_BYTES_MAX }));
  const plain = toPlainJson(input, "attribute");
  return withinSize(plain as JsonObject, "attributes"); // an object went in
}

function withinSize<Value>(value: Value, field: string): Value {
  if (Buffer.byteLength(JSON.stringify(value)) > ACTION_BYTES_MAX)
    throw actionInvalid(field, detail("rule.kib_max", { max: ACTION_BYTES_MAX / 1024 }));
  return value;
}
