import { detail, invalid } from "../../../lib/domain-error.ts";
import { decodeText } from "../../../lib/sent-json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { InboundMessage, Normalized, NormalizedMessage } from "../integrations.types.ts";
import { objectOf } from "./fields.ts";

/** Shared parts of the adapters of devices with topics of their own (Tasmota, Zigbee2MQTT, Shelly). */

const KEYS_MAX = 512;
const DEPTH_MAX = 6;

export const textBody = ({ bytes }: InboundMessage): string => decodeText(bytes);

/** The body as JSON, or as its text where it is none: simple values are sent bare. */
export function jsonOrText(message: InboundMessage): unknown {
  const text = textBody(message);
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

export function ensureObject(body: unknown): Readonly<Record<string, unknown>> {
  const fields = objectOf(body);
  if (fields === undefined) throw invalid("integration.body_not_object");
  return fields;
}

export interface FlattenRules {
  /** Text before each key. */
  readonly prefix?: string;
  isLeftOut?(key: string, depth: number): boolean;
  value?(value: unknown, key: string): unknown;
}

/**
 * Flattens objects to keys joined by `_`: these devices nest their readings, and charts and rules use single keys. Lists stay as they are,
 * nulls are dropped.
 */
export function flatten(fields: Readonly<Record<string, unknown>>, rules: FlattenRules = {}) {
  const flat: Record<string, unknown> = Object.create(null);
  let count = 0;
  const add = (value: unknown, name: string, key: string, depth: number): void => {
    if (value === null || value === undefined || rules.isLeftOut?.(key, depth)) return;
    const inner = objectOf(value);
    if (inner !== undefined && depth < DEPTH_MAX) {
      for (const [part, content] of Object.entries(inner)) add(content, `${name}_${part}`, part, depth + 1);
      return;
    }
    if (++count > KEYS_MAX) throw invalid("integration.too_many_keys", { max: KEYS_MAX });
    flat[name] = rules.value ? rules.value(value, key) : value;
  };
  for (const [key, value] of Object.entries(fields))
    add(value, rules.prefix ? `${rules.prefix}_${key}` : key, key, 0);
  return flat;
}

export const onOff = (value: unknown): unknown => (value === "ON" ? true : value === "OFF" ? false : value);

/** A device that is known by its topic. */
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

/** Returns the messages with the type that a created device gets if they do not name one. */
export const ofType = (type: string, normalized: Normalized): Normalized => ({
  ...normalized,
  messages: normalized.messages.map((message) => ({ ...message, device: { type, ...message.device } })),
});

/** Builds the result for a message that is not stored, with the reason. */
export const ignored = (reason: Text): Normalized => ({ messages: [], ignored: reason });

/** Reasons that several adapters have. */
export const NOT_MEASURED = detail("ignored.not_measured");
export const COMMAND_TO_DEVICE = detail("ignored.command_to_device");

export function ensureTopic({ topic }: InboundMessage): string {
  if (topic !== undefined && topic !== "") return topic;
  throw invalid("integration.topic_missing");
}
