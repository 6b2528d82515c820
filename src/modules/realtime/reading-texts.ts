import { createHash } from "node:crypto";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";

/** Max. characters of texts cached for other readers of the same message. */
const KEPT_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Additional characters counted per cached text, because a text may be empty. */
const KEPT_TEXT_CHARACTERS = 64;
/** Characters per unit of weight. */
const CHARACTERS_PER_WEIGHT = 64;

type Keys = ReadonlySet<string> | undefined;

/** Serializes each reading once per set of keys and weighs it once, however many subscriptions receive it. */
export class ReadingTexts {
  #texts = new WeakMap<Reading, Map<string, string>>();
  readonly #weights = new WeakMap<Reading, number>();
  readonly #lengths = new WeakMap<object, number>();
  readonly #names = new WeakMap<ReadonlySet<string>, string>();
  #characters = 0;

  /** Returns the members `ts`, `values` and `timestamps` with the closing brace; empty if the reading has none of the keys. */
  textOf(reading: Reading, keys: Keys): string {
    const name = keys === undefined ? "" : this.nameOf(keys);
    const existing = this.#texts.get(reading);
    const kept = existing?.get(name);
    if (kept !== undefined) return kept;
    const text = this.#serialize(reading, keys);
    const characters = text.length + KEPT_TEXT_CHARACTERS;
    this.#characters += characters;
    if (this.#characters > KEPT_CHARACTERS_MAX) {
      this.#texts = new WeakMap();
      this.#characters = characters;
    }
    const texts = this.#texts.get(reading) ?? new Map<string, string>();
    this.#texts.set(reading, texts.set(name, text));
    return text;
  }

  /** Returns the cost of keeping a reading: 1 for a few numbers, more for long strings and JSON. */
  weightOf(reading: Reading): number {
    const existing = this.#weights.get(reading);
    if (existing !== undefined) return existing;
    let weight = 1;
    for (const key in reading.values)
      weight += 0.1 + this.lengthOf(reading.values[key] ?? 0) / CHARACTERS_PER_WEIGHT;
    this.#weights.set(reading, weight);
    return weight;
  }

  /** Returns the characters of a string or of a value's JSON; 0 for numbers and booleans. */
  lengthOf(value: TelemetryValue): number {
    if (typeof value === "string") return value.length;
    if (typeof value !== "object") return 0;
    const length = this.#lengths.get(value) ?? JSON.stringify(value).length;
    this.#lengths.set(value, length);
    return length;
  }

  #serialize({ ts, values }: Reading, keys: Keys): string {
    const entries = Object.entries(values).filter(([key]) => keys?.has(key) ?? true);
    if (entries.length === 0) return "";
    const timestamps = Object.fromEntries(entries.map(([key]) => [key, ts]));
    return JSON.stringify({ ts, values: Object.fromEntries(entries), timestamps }).slice(1);
  }

  /** Returns the same name for equal sets, so that subscriptions to the same keys share texts. */
  nameOf(keys: ReadonlySet<string>): string {
    const existing = this.#names.get(keys);
    if (existing !== undefined) return existing;
    const name = createHash("sha256")
      .update(JSON.stringify([...keys].sort()))
      .digest("base64");
    this.#names.set(keys, name);
    return name;
  }
}
