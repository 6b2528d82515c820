/** Shared parts of the adapters of devices with their own topics (Tasmota, Zigbee2MQTT, Shelly). */
import { DomainError, detail, invalid, toText } from "../../../lib/core/domain-error.ts";
import { isEmptiedNumber } from "../../../lib/json/missing-value.ts";
import { decodeText, type NoteLeftOut, parseJson, parseLenient } from "../../../lib/json/sent-json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { InboundMessage, Normalized, NormalizedMessage } from "../integrations.types.ts";
import { objectOf } from "./fields.ts";

const KEYS_MAX = 512;
const DEPTH_MAX = 6;

/** Message with notes on omitted parts. */
export interface NotedMessage extends InboundMessage {
  readonly note: NoteLeftOut;
}

/** Reads a message, and adds the notes to the result. */
export function noting(message: InboundMessage, read: (message: NotedMessage) => Normalized): Normalized {
  const notes: Text[] = [];
  const normalized = read({ ...message, note: (reason) => void notes.push(toText(reason)) });
  return notes.length === 0 ? normalized : { ...normalized, notes: [...(normalized.notes ?? []), ...notes] };
}

/** @throws DomainError if the body is not UTF-8 */
export function textBody({ bytes }: InboundMessage): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw error instanceof DomainError && error.code === "body.utf16"
      ? error
      : invalid("integration.body_not_text");
  }
}

/**
 * Returns the body as JSON, or as a string if it is not JSON: simple values are sent unquoted. Firmware writes `nan` for a probe without a value,
 * which does not invalidate the others. @throws DomainError if the body begins like JSON but is invalid
 */
export function jsonOrText(message: NotedMessage): unknown {
  const text = textBody(message);
  const isObject = /^\s*[[{]/.test(text);
  try {
    return isObject ? parseLenient(text, message.note) : parseJson(text);
  } catch {
    if (isObject) throw invalid("integration.body_malformed");
    return isEmptiedNumber(text) ? null : text.trim();
  }
}

export function ensureObject(body: unknown): Readonly<Record<string, unknown>> {
  const fields = objectOf(body);
  if (fields === undefined) throw invalid("integration.body_not_object");
  return fields;
}

export interface FlattenRules {
  /** Prefix of each key. */
  readonly prefix?: string;
  isLeftOut?(
    key: string,
    place: { readonly depth: number; readonly parent: string; readonly value: unknown },
  ): boolean;
  /** True if lists of numbers become one key per number. */
  readonly hasPhases?: boolean;
  value?(value: unknown, key: string): unknown;
}

/** Returns the fields that a value is flattened to; undefined if the value stays whole. */
function partsOf(value: unknown, { hasPhases }: FlattenRules): Readonly<Record<string, unknown>> | undefined {
  if (hasPhases && isPhases(value)) return phasesOf(value);
  return objectOf(value);
}

/** Returns an unused key, so that two fields never share one: `{"a": {"b": 1}, "a_b": 2}` has `a_b` and `a_b_2`. */
function freeName(taken: object, name: string): string {
  let free = name;
  for (let number = 2; Object.hasOwn(taken, free); number++) free = `${name}_${number}`;
  return free;
}

interface FlatPlace {
  readonly key: string;
  readonly depth: number;
  /** Key of the enclosing object; empty for none. */
  readonly parent: string;
}

/** Max. length of a list of phases. */
const PHASES_MAX = 32;

const isPhases = (value: unknown): value is unknown[] =>
  Array.isArray(value) &&
  value.length <= PHASES_MAX &&
  value.some((item) => typeof item === "number") &&
  value.every((item) => typeof item === "number" || item === null);

const phasesOf = (values: readonly unknown[]) =>
  Object.fromEntries(values.map((value, index) => [String(index + 1), value]));

/**
 * Flattens objects to keys joined by `_`: these devices nest their readings, and charts and rules use single keys. Other lists are unchanged, nulls
 * are dropped.
 */
export function flatten(fields: Readonly<Record<string, unknown>>, rules: FlattenRules = {}) {
  const flat: Record<string, unknown> = Object.create(null);
  let count = 0;
  const add = (value: unknown, name: string, { key, depth, parent }: FlatPlace): void => {
    if (value === null || value === undefined || rules.isLeftOut?.(key, { depth, parent, value })) return;
    const inner = depth < DEPTH_MAX ? partsOf(value, rules) : undefined;
    if (inner !== undefined) {
      for (const [part, content] of Object.entries(inner))
        add(content, `${name}_${part}`, { key: part, depth: depth + 1, parent: key });
      return;
    }
    if (++count > KEYS_MAX) throw invalid("integration.too_many_keys", { max: KEYS_MAX });
    flat[freeName(flat, name)] = rules.value ? rules.value(value, key) : value;
  };
  for (const [key, value] of Object.entries(fields))
    add(value, rules.prefix ? `${rules.prefix}_${key}` : key, { key, depth: 0, parent: "" });
  return flat;
}

export const onOff = (value: unknown): unknown => (value === "ON" ? true : value === "OFF" ? false : value);

/** Returns a reading of a device that is identified by its topic. */
export const reading = (
  device: string,
  telemetry: Readonly<Record<string, unknown>>,
  rest: Partial<NormalizedMessage> = {},
): NormalizedMessage => ({
  kind: "uplink",
  device: { externalId: device, name: device },
  telemetry,
  ...rest,
});

/** Returns the messages with the type for created devices, unless they name one. */
export const ofType = (type: string, normalized: Normalized): Normalized => ({
  ...normalized,
  messages: normalized.messages.map((message) => ({ ...message, device: { type, ...message.device } })),
});

/** Returns the result for a message that is not stored, with the reason. */
export const ignored = (reason: Text): Normalized => ({ messages: [], ignored: reason });

/** Ignore reasons shared by several adapters. */
export const NOT_MEASURED = detail("ignored.not_measured");
export const COMMAND_TO_DEVICE = detail("ignored.command_to_device");

export function ensureTopic({ topic }: InboundMessage): string {
  if (topic !== undefined && topic !== "") return topic;
  throw invalid("integration.topic_missing");
}
