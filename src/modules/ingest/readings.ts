import { invalid, tooLarge } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { NestedValues, toPlainJson } from "../../lib/json/plain-json.ts";
import { type NoteLeftOut, namesShown } from "../../lib/json/sent-json.ts";
import { liveTimestamp } from "../../lib/time/timestamp.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";

/*
 * Device bodies to readings. Accepted: `{k:v}`, `{ts, k:v}`, `{ts, values}`, `{ts, telemetry}`, `{payload:{…}}` around any of
 * these, and arrays of them. Other fields next to such a container are values with the same timestamp. The timestamp of an
 * outer object applies to inner objects without a timestamp.
 */

const KEYS_PER_MESSAGE_MAX = 512;
const KEY_BYTES_MAX = 256;
const KEY_CHARACTERS_ALWAYS_SHORT = KEY_BYTES_MAX / 3;
/** Max. bytes of a string, or of an object or array as JSON, in UTF-8. */
const TEXT_BYTES_MAX = 64 * 1024;
const TEXT_CHARACTERS_ALWAYS_SHORT = Math.floor(TEXT_BYTES_MAX / 3);
const READINGS_PER_MESSAGE_MAX = 100_000;
const NESTING_MAX = 4;

/** Control characters and lone surrogates, which URLs cannot contain. */
const UNNAMABLE = /[\p{Cc}\p{Cs}]/u;
const ALL_UNNAMABLE = /[\p{Cc}\p{Cs}]/gu;
/** Keys that can be stored unchanged, by their position in an object: most objects have the same keys as the previous one. */
const plainKeys: string[] = [];

/** Returns the key under which values are stored; stored keys can always be addressed and shown. */
export const storedKey = (key: string): string =>
  UNNAMABLE.test(key) ? key.replace(ALL_UNNAMABLE, "\uFFFD") : key;

/** Returns whether a key can be stored unchanged. `place` is below the maximum number of keys. */
function isPlainKey(key: string, place: number): boolean {
  if (plainKeys[place] === key) return true;
  if (key.length === 0 || key.length > KEY_CHARACTERS_ALWAYS_SHORT || UNNAMABLE.test(key)) return false;
  plainKeys[place] = key;
  return true;
}

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

/** Returns `true` if every value can be stored unchanged, so that the parsed object itself can be used. */
function isReady(values: Record<string, unknown>): boolean {
  let count = 0;
  for (const key in values) {
    if (count === KEYS_PER_MESSAGE_MAX || !isPlain(values[key]) || !isPlainKey(key, count)) return false;
    count++;
  }
  return count > 0;
}

function ensureFewKeys(count: number): void {
  if (count > KEYS_PER_MESSAGE_MAX) throw invalid("telemetry.too_many_keys", { max: KEYS_PER_MESSAGE_MAX });
}

/**
 * Returns the storable values, without nulls; undefined if nothing is left. `nested` counts nested values of the whole message.
 * @throws DomainError `invalid` or `too_large`
 */
export function checkValues(
  values: Record<string, unknown>,
  nested = new NestedValues(),
  skip?: string,
): Record<string, TelemetryValue> | undefined {
  if (skip === undefined && isReady(values)) return values as Record<string, TelemetryValue>; // just looked at
  const checked: Record<string, TelemetryValue> = Object.create(null);
  let count = 0;
  for (const [name, value] of Object.entries(values)) {
    if (name === skip || value === null || value === undefined) continue;
    const key = storedKey(name);
    checkKey(key);
    nested.add(value);
    const json = toPlainJson(value, "telemetry");
    if (json === null) continue;
    checkText(key, json);
    checked[key] = json;
    ensureFewKeys(++count);
  }
  return count === 0 ? undefined : checked;
}

const isEqual = (a: TelemetryValue, b: TelemetryValue): boolean =>
  Object.is(a, b) || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));

/** Returns the values in a field of a body; undefined for any other field. */
function containerIn(body: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const inner = name === "values" || name === "telemetry" ? body[name] : undefined;
  return isJsonObject(inner) ? inner : undefined;
}

/** Returns whether a body has only one field in addition to its time. */
function isAlone(body: Record<string, unknown>): boolean {
  let count = 0;
  for (const name in body) if (name !== "ts" && ++count > 1) return false;
  return true;
}

/** Returns the other fields of a body, except its time and those for which `isTaken` is true. */
function besides(body: Record<string, unknown>, isTaken: (name: string) => boolean): Record<string, unknown> {
  const rest: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(body)) if (name !== "ts" && !isTaken(name)) rest[name] = value;
  return rest;
}

/** Returns whether each reading is later than the previous one, so that no two have the same time. */
function isInOrder(readings: readonly Reading[]): boolean {
  let before = Number.NEGATIVE_INFINITY;
  for (const { ts } of readings) {
    if (ts <= before) return false;
    before = ts;
  }
  return true;
}

export interface ReadingOptions {
  /** Called for values that are left out or converted. */
  readonly note?: NoteLeftOut | undefined;
  /** Reads timestamps; by default like those of a live message. @throws DomainError `invalid` */
  readonly timeOf?: ((value: unknown) => number) | undefined;
}

const nothing = () => undefined;

/** Time and position of the objects around a part of a message. */
interface Surroundings {
  /** Time of the enclosing objects, if they have one. */
  readonly ts: number | undefined;
  readonly nesting: number;
}

/** Reads one message. Objects that few messages need are created on demand: most messages have one short object. */
class MessageReading {
  readonly #readings: Reading[] = [];
  /** Time of receipt, epoch ms. */
  readonly #now: number;
  readonly #options: ReadingOptions;
  /** Counts nested values of the whole message. */
  readonly #nested = new NestedValues();
  /** Keys whose values are overwritten within the message. */
  #overwritten: Set<string> | undefined;

  constructor(now: number, options: ReadingOptions) {
    this.#now = now;
    this.#options = options;
  }

  /** Returns the added readings. @throws DomainError `telemetry.empty` */
  end(): Reading[] {
    const { note } = this.#options;
    const readings = this.#readings;
    if (readings.length === 0) throw invalid("telemetry.empty");
    if (note === undefined) return readings;
    if (readings.length > 1 && !isInOrder(readings)) this.#noteSameTimes();
    if (this.#overwritten !== undefined)
      note(invalid("telemetry.overwritten", { keys: namesShown([...this.#overwritten]) }));
    return readings;
  }

  add(body: unknown, ts: number | undefined, nesting: number): void {
    if (nesting > NESTING_MAX) throw invalid("telemetry.too_deep");
    if (Array.isArray(body)) for (const item of body) this.add(item, ts, nesting + 1);
    else if (!isJsonObject(body)) throw invalid("telemetry.body_invalid");
    else if (isJsonObject(body.payload)) this.addContainer(body, "payload", { ts, nesting });
    else {
      const values = this.#valuesOf(body);
      if (values !== undefined) this.#push(this.#timeOf(body, ts) ?? this.#now, values);
    }
  }

  /** Adds the content of a container of whole bodies, and the values next to it: at their own time, or at that of the container's only reading. */
  addContainer(body: Record<string, unknown>, name: "payload" | "items", around: Surroundings): void {
    const ts = this.#timeOf(body, around.ts);
    const readings = this.#readings;
    const start = readings.length;
    this.add(body[name], ts, around.nesting + 1);
    const beside = this.#valuesOf(besides(body, (field) => field === name));
    if (beside === undefined) return;
    const [first, second] = readings.slice(start, start + 2);
    if (first === undefined || second !== undefined || (ts !== undefined && ts !== first.ts))
      this.#push(ts ?? this.#now, beside);
    else readings[start] = { ts: first.ts, values: checkValues(this.#join(beside, first.values)) ?? beside };
  }

  #push(ts: number, values: Reading["values"]): void {
    if (this.#readings.length >= READINGS_PER_MESSAGE_MAX) throw invalid("telemetry.too_many_readings");
    this.#readings.push({ ts, values });
  }

  #timeOf({ ts }: Record<string, unknown>, around: number | undefined): number | undefined {
    if (ts === undefined || ts === null) return around;
    const { timeOf, note = nothing } = this.#options;
    return timeOf === undefined ? liveTimestamp(ts, this.#now, note) : timeOf(ts);
  }

  /** Returns the values of one object; undefined if all of them are null. */
  #valuesOf(body: Record<string, unknown>): Record<string, TelemetryValue> | undefined {
    const values = containerIn(body, "values");
    const telemetry = containerIn(body, "telemetry");
    const only = values ?? telemetry;
    if (only === undefined) return checkValues(body, this.#nested, "ts" in body ? "ts" : undefined);
    // The form that nearly every device sends; nothing has to be joined.
    if (isAlone(body)) return checkValues(only, this.#nested);
    const isTaken = (name: string) => containerIn(body, name) !== undefined;
    const inner = [values, telemetry].filter((container) => container !== undefined);
    const parts = [besides(body, isTaken), ...inner];
    const all = parts.reduce<Record<string, TelemetryValue>>(
      (earlier, part) => this.#join(earlier, checkValues(part, this.#nested) ?? {}),
      {},
    );
    return checkValues(all);
  }

  /** Merges the values of both; later ones take precedence. */
  #join(
    earlier: Record<string, TelemetryValue>,
    later: Record<string, TelemetryValue>,
  ): Record<string, TelemetryValue> {
    const all: Record<string, TelemetryValue> = Object.assign(Object.create(null), earlier);
    this.#overwrite(all, later);
    return all;
  }

  /** Adds the later values to the earlier ones, and records keys that occur in both. */
  #overwrite(earlier: Record<string, TelemetryValue>, later: Record<string, TelemetryValue>): void {
    for (const key of Object.keys(later)) {
      const value = later[key] as TelemetryValue; // one of its keys
      const before = earlier[key];
      if (before !== undefined && !isEqual(before, value)) {
        this.#overwritten ??= new Set();
        this.#overwritten.add(key);
      }
      earlier[key] = value;
    }
  }

  /** Records keys with several values for the same time. */
  #noteSameTimes(): void {
    /** Values by timestamp. */
    const earlier = new Map<number, Record<string, TelemetryValue>>();
    for (const { ts, values } of this.#readings) {
      const before = earlier.get(ts);
      if (before === undefined) earlier.set(ts, Object.assign(Object.create(null), values));
      else this.#overwrite(before, values);
    }
  }
}

/**
 * Returns the readings of one body. `now` (epoch ms) is the time of readings without a timestamp, or from an unset clock.
 * @throws DomainError `invalid` that describes the error; nothing of the body is accepted then
 */
export function toReadings(body: unknown, now: number, options: ReadingOptions = {}): Reading[] {
  const message = new MessageReading(now, options);
  message.add(body, undefined, 1);
  return message.end();
}

/** Like `toReadings`, for `{items: […]}` and the values next to it. */
export function toBatchReadings(
  batch: Record<string, unknown>,
  now: number,
  options: ReadingOptions = {},
): Reading[] {
  const message = new MessageReading(now, options);
  message.addContainer(batch, "items", { ts: undefined, nesting: 0 });
  return message.end();
}
