import { type DomainError, invalid, tooLarge } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import { toPlainJson } from "../../lib/plain-json.ts";
import { liveTimestamp } from "../../lib/timestamp.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";

/*
 * Device bodies to readings. Accepted: `{k:v}`, `{ts, k:v}`, `{ts, values}`, `{ts, telemetry}`, `{payload:{…}}` around any of
 * these, and arrays of them.
 */

const KEYS_PER_MESSAGE_MAX = 512;
const KEY_BYTES_MAX = 256;
const KEY_CHARACTERS_ALWAYS_SHORT = KEY_BYTES_MAX / 3;
/** Bytes of a text, or of an object or array as JSON, in UTF-8. */
const TEXT_BYTES_MAX = 64 * 1024;
const TEXT_CHARACTERS_ALWAYS_SHORT = Math.floor(TEXT_BYTES_MAX / 3);
const READINGS_PER_MESSAGE_MAX = 100_000;
const NESTING_MAX = 4;

function checkKey(key: string): void {
  if (key.length === 0) throw invalid("telemetry.key_empty");
  if (key.length > KEY_CHARACTERS_ALWAYS_SHORT && Buffer.byteLength(key) > KEY_BYTES_MAX)
    throw invalid("telemetry.key_too_long", { max: KEY_BYTES_MAX });
}

function checkText(key: string, value: unknown): void {
  if (typeof value !== "string" && typeof value !== "object") return;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= TEXT_CHARACTERS_ALWAYS_SHORT || Buffer.byteLength(text) <= TEXT_BYTES_MAX) return;
  throw tooLarge("telemetry.value_too_large", { key: JSON.stringify(key), max: TEXT_BYTES_MAX / 1024 });
}

const isPlain = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isFinite(value)
    : typeof value === "boolean" ||
      (typeof value === "string" && value.length <= TEXT_CHARACTERS_ALWAYS_SHORT);

/** Returns `true` if every value can be stored as it is, so that the parsed object itself can be used. */
function isReady(values: Record<string, unknown>): boolean {
  let count = 0;
  for (const key in values) {
    if (!isPlain(values[key]) || key.length > KEY_CHARACTERS_ALWAYS_SHORT || key.length === 0) return false;
    if (++count > KEYS_PER_MESSAGE_MAX) return false;
  }
  return count > 0;
}

/** Values that may be stored; null is skipped. Undefined when nothing is left. @throws DomainError of kind `invalid` or `too_large`. */
export function checkValues(
  values: Record<string, unknown>,
  skip?: string,
): Record<string, TelemetryValue> | undefined {
  if (skip === undefined && isReady(values)) return values as Record<string, TelemetryValue>; // just looked at
  const checked: Record<string, TelemetryValue> = Object.create(null);
  let count = 0;
  for (const [key, value] of Object.entries(values)) {
    if (key === skip || value === null || value === undefined) continue;
    checkKey(key);
    const json = toPlainJson(value, "telemetry");
    if (json === null) continue;
    checkText(key, json);
    checked[key] = json;
    if (++count > KEYS_PER_MESSAGE_MAX)
      throw invalid("telemetry.too_many_keys", { max: KEYS_PER_MESSAGE_MAX });
  }
  return count === 0 ? undefined : checked;
}

interface Context {
  readonly now: number;
  readonly nesting: number;
  /** @throws DomainError `invalid` */
  readonly timeOf: (value: unknown) => number;
}

export interface ReadingOptions {
  /** Is told what was read in another way than it was sent. */
  readonly note?: ((reason: DomainError) => void) | undefined;
  /** Reads time stamps; those of a live message by default. @throws DomainError `invalid` */
  readonly timeOf?: Context["timeOf"] | undefined;
}

const nothing = () => undefined;

/** The reading of one object; undefined when all of its values are null. */
function toReading(body: Record<string, unknown>, { now, timeOf }: Context): Reading | undefined {
  const inner = body.values ?? body.telemetry;
  const hasTs = body.ts !== undefined && body.ts !== null;
  const ts = hasTs ? timeOf(body.ts) : now;
  const isEnvelope = isJsonObject(inner) && (hasTs || Object.keys(body).length === 1);
  const values = isEnvelope ? checkValues(inner) : checkValues(body, "ts" in body ? "ts" : undefined);
  return values && { ts, values };
}

function addReadings(readings: Reading[], body: unknown, context: Context): void {
  const deeper = { ...context, nesting: context.nesting + 1 };
  if (deeper.nesting > NESTING_MAX) throw invalid("telemetry.too_deep");
  if (Array.isArray(body)) {
    for (const item of body) addReadings(readings, item, deeper);
    return;
  }
  if (!isJsonObject(body)) throw invalid("telemetry.body_invalid");
  if (isJsonObject(body.payload)) {
    addReadings(readings, body.payload, deeper);
    return;
  }
  const reading = toReading(body, context);
  if (reading === undefined) return;
  if (readings.length >= READINGS_PER_MESSAGE_MAX) throw invalid("telemetry.too_many_readings");
  readings.push(reading);
}

/**
 * The readings of one body; `now` (epoch ms) stamps those that carry no time stamp, and those of a clock that is not set.
 * @throws DomainError of kind `invalid` that names what is wrong; then nothing of the body is taken.
 */
export function toReadings(body: unknown, now: number, options: ReadingOptions = {}): Reading[] {
  const { note = nothing, timeOf = (value: unknown) => liveTimestamp(value, now, note) } = options;
  const readings: Reading[] = [];
  addReadings(readings, body, { now, timeOf, nesting: 0 });
  if (readings.length === 0) throw invalid("telemetry.empty");
  return readings;
}
