import { detail, invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";

/*
 * Parses the messages of gateways from JSON or CBOR. Names of children are not validated here: `__proto__` is an ordinary name.
 */

export const CHILDREN_PER_MESSAGE_MAX = 1_000;
const KEYS_PER_REQUEST_MAX = 512;
const ID_CHARACTERS_MAX = 64;

/** Part of a message about one child. */
export type ChildPart = readonly [name: string, value: unknown];

export interface ChildRequest {
  /** Id as received; repeated in the response. */
  readonly id: number | string;
  readonly name: string;
  readonly scope: "CLIENT" | "SHARED";
  /** Requested keys; `undefined` for all. */
  readonly keys: readonly string[] | undefined;
  /** True if `key` requested one key, whose value is the response. */
  readonly isSingle: boolean;
}

export interface ChildResponse {
  readonly name: string;
  readonly rpcId: number;
  readonly data: unknown;
}

const bodyInvalid = (rule: Text) => invalid("gateway.body_invalid", { rule });

function nameOf(body: Record<string, unknown>): string {
  if (typeof body.device !== "string") throw bodyInvalid(detail("rule.child_name"));
  return body.device;
}

function objectOf(body: unknown): Record<string, unknown> {
  if (!isJsonObject(body) || ArrayBuffer.isView(body)) throw bodyInvalid(detail("rule.body_object"));
  return body;
}

/** Parses `{"A": …, "B": …}`. @throws DomainError `invalid` if it is empty or has too many parts */
export function parseParts(body: unknown): ChildPart[] {
  const parts = Object.entries(objectOf(body));
  if (parts.length === 0) throw bodyInvalid(detail("rule.body_without_child"));
  if (parts.length > CHILDREN_PER_MESSAGE_MAX)
    throw invalid("gateway.too_many_children", { max: CHILDREN_PER_MESSAGE_MAX });
  return parts;
}

/** Parses `{"device": "A", "type": "t"?}`. */
export function parseChild(body: unknown): { name: string; type: unknown } {
  const child = objectOf(body);
  return { name: nameOf(child), type: child.type };
}

function idOf(id: unknown): number | string {
  const number = typeof id === "bigint" ? Number(id) : id;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  if (typeof id === "string" && id !== "" && id.length <= ID_CHARACTERS_MAX) return id;
  throw bodyInvalid(detail("rule.request_id"));
}

/**
 * Parses `{"id": 1, "device": "A", "client": bool, "key": k | "keys": […]}`; without key and keys, all are requested. A list of one key is answered
 * like one key, as the ThingsBoard IoT gateway expects.
 */
export function parseRequest(body: unknown): ChildRequest {
  const request = objectOf(body);
  const { client = false, key, keys } = request;
  if (typeof client !== "boolean") throw bodyInvalid(detail("rule.client_scope"));
  const asked = key !== undefined && keys === undefined ? [key] : keys;
  if (asked !== undefined && !isTexts(asked)) throw bodyInvalid(detail("rule.key_or_keys"));
  const isSingle = asked?.length === 1;
  const scope = client ? "CLIENT" : "SHARED";
  return { id: idOf(request.id), name: nameOf(request), scope, keys: asked, isSingle };
}

const isTexts = (keys: unknown): keys is string[] =>
  Array.isArray(keys) && keys.length <= KEYS_PER_REQUEST_MAX && keys.every((key) => typeof key === "string");

/** Parses `{"device": "A", "id": 5, "data": …}`, the response of a child to a command. */
export function parseResponse(body: unknown): ChildResponse {
  const response = objectOf(body);
  const id = idOf(response.id);
  const rpcId = typeof id === "number" ? id : Number(id);
  if (!Number.isSafeInteger(rpcId) || rpcId < 0) throw bodyInvalid(detail("rule.command_id"));
  return { name: nameOf(response), rpcId, data: response.data ?? null };
}
