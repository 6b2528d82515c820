import { DomainError, detail, toText } from "../../../lib/core/domain-error.ts";
import { isFPort, payloadOf } from "../../../lib/devices/downlink-payload.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/json.ts";
import {
  headerProblem,
  isSecretHeader,
  secretProblem,
  urlProblem,
} from "../../../lib/network/outbound-request.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { OutboundTarget } from "../../outbound/outbound.types.ts";
import type { AlarmEventType } from "../alarms.types.ts";
import { only, text, wrong } from "../rules/rule-fields.ts";

/** Transitions of an alarm that can trigger actions. */
const OCCASIONS = ["CREATED", "REOPENED", "SEVERITY_CHANGED", "ESCALATED", "ACK", "CLEARED"] as const;
const ACTIONS_MAX = 10;
const METHOD_MAX = 256;
const ID_MAX = 64;

/** Automatic action of the gateway on an alarm event. */
export type AlarmAction = { readonly on: AlarmEventType } & (
  | {
      readonly type: "command";
      /** Device that receives the command; `null` for the device of the alarm. */
      readonly deviceId: string | null;
      readonly method: string;
      readonly params: JsonValue;
    }
  | { readonly type: "webhook"; readonly target: OutboundTarget }
);

const URL_MAX = 2_048;
const HEADERS_MAX = 30;
const HEADER_MAX = 4_096;
const TIMEOUT_MS = 10_000;
function urlOf(input: unknown, where: string): string {
  const url = text(input, where, URL_MAX);
  const problem = urlProblem(url);
  if (problem !== undefined) throw wrong(where, problem);
  return url;
}

function headersOf(input: unknown, where: string): Readonly<Record<string, string>> {
  if (input === undefined) return {};
  if (!isJsonObject(input) || Object.keys(input).length > HEADERS_MAX)
    throw wrong(where, detail("rule.headers_object", { max: HEADERS_MAX }));
  const entries = Object.entries(input).map(([name, value]) => {
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw wrong(where, problem);
    if (isSecretHeader(name)) throw wrong(where, detail("rule.header_readable", { name }));
    if (typeof value !== "string" || value.length > HEADER_MAX)
      throw wrong(`${where}.${name}`, detail("rule.text_max", { max: HEADER_MAX }));
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

function methodOf(input: unknown, where: string): string {
  const existing = ["POST", "PUT", "PATCH"].find((method) => method === (input ?? "POST"));
  if (existing === undefined) throw wrong(where, detail("rule.http_method"));
  return existing;
}

/** Returns the params of a downlink command: the frame itself. Sent as a downlink if the device is reached through a network server. */
function downlinkOf(input: unknown, where: string): JsonValue {
  const downlink = only(input, where, ["fPort", "confirmed", "priority", "data", "hex", "object"]);
  const { fPort, confirmed, priority } = downlink;
  if (fPort !== undefined && !isFPort(fPort)) throw wrong(`${where}.fPort`, detail("rule.f_port"));
  if (confirmed !== undefined && typeof confirmed !== "boolean")
    throw wrong(`${where}.confirmed`, detail("rule.boolean"));
  if (priority !== undefined) text(priority, `${where}.priority`, 32);
  try {
    payloadOf(downlink);
  } catch (error) {
    throw error instanceof DomainError
      ? wrong(where, detail("rule.not_valid", { reason: toText(error) }))
      : error;
  }
  return downlink as JsonValue; // parsed from JSON
}

const deviceIdOf = (node: Record<string, unknown>, where: string): string | null =>
  node.deviceId === undefined ? null : text(node.deviceId, `${where}.deviceId`, ID_MAX);

function compileAction(input: unknown, where: string): AlarmAction {
  if (!isJsonObject(input)) throw wrong(where, detail("rule.object"));
  const on = OCCASIONS.find((occasion) => occasion === input.on);
  if (on === undefined)
    throw wrong(`${where}.on`, detail("rule.occasion_unknown", { occasions: OCCASIONS.join(", ") }));
  if (input.type === "webhook") {
    const node = only(input, where, ["on", "type", "url", "method", "headers"]);
    const target = {
      url: urlOf(node.url, `${where}.url`),
      method: methodOf(node.method, `${where}.method`),
      headers: headersOf(node.headers, `${where}.headers`),
      timeoutMs: TIMEOUT_MS,
      secret: null,
    };
    return { on, type: "webhook", target };
  }
  if (input.type === "integration_downlink") {
    const node = only(input, where, ["on", "type", "downlink", "deviceId"]);
    const params = downlinkOf(node.downlink, `${where}.downlink`);
    return { on, type: "command", deviceId: deviceIdOf(node, where), method: "downlink", params };
  }
  if (input.type !== "command") throw wrong(`${where}.type`, detail("rule.alarm_action_type"));
  const node = only(input, where, ["on", "type", "command", "deviceId"]);
  const command = only(node.command, `${where}.command`, ["method", "params"]);
  return {
    on,
    type: "command",
    deviceId: deviceIdOf(node, where),
    method: text(command.method, `${where}.command.method`, METHOD_MAX),
    params: (command.params ?? {}) as JsonValue, // parsed from JSON
  };
}

/** `actions: [{on, type: "command", command: {method, params?}, deviceId?} | {on, type: "integration_downlink", downlink, deviceId?} | {on, type: "webhook", url, method?, headers?}]` */
export function compileActions(input: unknown, where: string): readonly AlarmAction[] {
  if (input === undefined) return [];
  if (!Array.isArray(input) || input.length > ACTIONS_MAX)
    throw wrong(where, detail("rule.actions_list", { max: ACTIONS_MAX }));
  return input.map((candidate, index) => compileAction(candidate, `${where}[${index}]`));
}

/** Returns the reason why nothing is sent to a URL; undefined if the URL is allowed. */
export type RefusalOf = (url: string) => Text | undefined;

/**
 * Checks the URLs of webhooks before they are stored. Stored rules run without this check, and keep their URLs.
 * @throws DomainError `invalid` for a URL to which the gateway never sends, and for a new URL that contains a readable secret
 */
export function ensureUrls(
  actions: readonly AlarmAction[],
  where: string,
  { refusalOf, wasNamed }: { refusalOf: RefusalOf; wasNamed: (url: string) => boolean },
): void {
  for (const [index, action] of actions.entries()) {
    if (action.type !== "webhook") continue;
    const { url } = action.target;
    const refusal = refusalOf(url);
    if (refusal !== undefined)
      throw wrong(`${where}[${index}].url`, detail("rule.address_refused", { refusal }));
    const problem = wasNamed(url) ? undefined : secretProblem(url);
    if (problem !== undefined) throw wrong(`${where}[${index}].url`, problem);
  }
}
