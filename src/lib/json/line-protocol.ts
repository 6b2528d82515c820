/*
 * Reads the InfluxDB line protocol: `measurement,tag=value field=value,field=value timestamp`. It reads one line at a time, so that the caller
 * decides how many lines to read together, and each character a constant number of times, even in malformed input.
 */
import { detail } from "../core/domain-error.ts";
import type { Text } from "../texts/text.ts";
import { exactInteger } from "./exact-integer.ts";

export const LINE_PRECISIONS = ["ns", "us", "ms", "s", "m", "h"] as const;
export type LinePrecision = (typeof LINE_PRECISIONS)[number];

export interface Line {
  /** Number of the line in the text, from 1. */
  readonly number: number;
  /** Position of the first character. */
  readonly start: number;
  readonly measurement: string;
  /** Sorted as in the line. */
  readonly tags: ReadonlyArray<readonly [name: string, value: string]>;
  readonly fields: Record<string, boolean | number | string>;
  /** Fields that occur more than once in the line. The last value counts. */
  readonly repeated: readonly string[];
  /** Epoch ms; undefined if the line has no timestamp. */
  readonly ts: number | undefined;
  /** Unparsed timestamp; empty if there is none. */
  readonly stamp: string;
}

export interface LineFailure {
  readonly number: number;
  readonly start: number;
  readonly reason: Text;
}

type LineContent = Omit<Line, "number" | "start">;

const FIELDS_PER_LINE_MAX = 512;
const TAGS_PER_LINE_MAX = 128;
/** Max. characters of a quoted string, including escapes. */
const QUOTED_CHARACTERS_MAX = 2 * 64 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;

const INTEGER = /^[-+]?\d{1,19}i$/;
const UNSIGNED = /^\d{1,20}u$/;
const FLOAT = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?$/;
const TIMESTAMP = /^-?\d{1,19}$/;
/** Max. digits of integers that fit every integer type and a double in any case. */
const DIGITS_ALWAYS_FITTING = 15;
const INTEGER_MAX = 2n ** 63n - 1n;
const UNSIGNED_MAX = 2n ** 64n - 1n;

const booleans: Readonly<Record<string, boolean>> = {
  t: true,
  T: true,
  true: true,
  True: true,
  TRUE: true,
  f: false,
  F: false,
  false: false,
  False: false,
  FALSE: false,
};

/** Mistake in the current line. */
class LineError {
  readonly reason: Text;
  constructor(reason: Text) {
    this.reason = reason;
  }
}

/** Milliseconds per unit; for finer units, the number of additional digits. */
const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const finerDigits = { ns: 6, us: 3 };

function toMilliseconds(text: string, precision: LinePrecision): number {
  if (precision === "ns" || precision === "us") return Number(text.slice(0, -finerDigits[precision]) || "0");
  return Number(text) * milliseconds[precision];
}

function toInteger(text: string): number | string | LineError {
  const digits = text.slice(0, -1);
  if (digits.length > DIGITS_ALWAYS_FITTING) {
    const exact = BigInt(digits.replace("+", ""));
    const max = text.endsWith("u") ? UNSIGNED_MAX : INTEGER_MAX;
    if (exact > max || exact < -INTEGER_MAX - 1n) return new LineError(detail("line.number_range"));
    return exactInteger(String(exact));
  }
  return Number(digits);
}

function toValue(text: string): boolean | number | string | LineError {
  if (FLOAT.test(text)) {
    const number = Number(text);
    return Number.isFinite(number) ? number : new LineError(detail("line.number_range"));
  }
  if (INTEGER.test(text) || UNSIGNED.test(text)) return toInteger(text);
  return booleans[text] ?? new LineError(detail("line.value_invalid"));
}

function addField(
  fields: Line["fields"],
  [name, value]: readonly [string, boolean | number | string],
  repeated: string[],
): void {
  if (fields[name] !== undefined) repeated.push(name);
  fields[name] = value;
}

export class LineReader {
  readonly #text: string;
  readonly #precision: LinePrecision;
  #position = 0;
  #number = 1;

  constructor(text: string, precision: LinePrecision) {
    this.#text = text;
    this.#precision = precision;
  }

  /** Number of characters read. */
  get position(): number {
    return this.#position;
  }

  /** Returns the next line, or its mistake; undefined at the end. Skips empty lines and comments. */
  next(): Line | LineFailure | undefined {
    this.#skipEmpty();
    if (this.#position >= this.#text.length) return undefined;
    const start = this.#position;
    const number = this.#number;
    const line = this.#line();
    const isRead = !(line instanceof LineError);
    this.#moveTo(start, isRead ? this.#position : this.#endOf(start));
    return isRead ? { number, start, ...line } : { number, start, reason: line.reason };
  }

  /** Moves to a position and counts the lines before it. */
  #moveTo(start: number, end: number): void {
    this.#position = end;
    let lineFeed = this.#text.indexOf("\n", start);
    for (; lineFeed >= 0 && lineFeed < end; lineFeed = this.#text.indexOf("\n", lineFeed + 1)) this.#number++;
  }

  #skipEmpty(): void {
    for (; this.#position < this.#text.length; this.#position++) {
      const code = this.#code();
      if (code === LINE_FEED) this.#number++;
      else if (code === HASH) {
        const end = this.#text.indexOf("\n", this.#position);
        this.#position = (end < 0 ? this.#text.length : end) - 1;
      } else if (code !== SPACE && code !== TAB && code !== CARRIAGE_RETURN) return;
    }
  }

  /** Returns the end of a line that could not be parsed. Only texts of fields may contain line breaks. */
  #endOf(start: number): number {
    let isQuoted = false;
    let isInFields = false;
    for (let position = start; position < this.#text.length; position++) {
      const code = this.#text.charCodeAt(position);
      if (code === BACKSLASH && (isQuoted || this.#text.charCodeAt(position + 1) === SPACE)) position++;
      else if (code === SPACE) isInFields = true;
      else if (code === LINE_FEED && !isQuoted) return position;
      else if (code === QUOTE && isInFields)
        isQuoted = !isQuoted && this.#text.charCodeAt(position - 1) === EQUALS;
    }
    return this.#text.length;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#position); // NaN at the end
  }

  #isAtEnd(): boolean {
    return this.#position >= this.#text.length || this.#code() === LINE_FEED;
  }

  #line(): LineContent | LineError {
    const measurement = this.#name(/\\([, ])/g, false);
    if (measurement === "") return new LineError(detail("line.measurement_missing"));
    const tags = this.#tags();
    if (tags instanceof LineError) return tags;
    this.#skipSpaces();
    const repeated: string[] = [];
    const fields = this.#fields(repeated);
    if (fields instanceof LineError) return fields;
    const stamp = this.#timestamp();
    if (stamp instanceof LineError) return stamp;
    const ts = stamp === "" ? undefined : toMilliseconds(stamp, this.#precision);
    return { measurement, tags, fields, repeated, ts, stamp };
  }

  /** Reads a measurement, or a name or value of a tag. A backslash is literal unless it escapes a character that ends a name. */
  #name(escaped = /\\([,= ])/g, endsAtEquals = true): string {
    const start = this.#position;
    let hasEscape = false;
    for (; this.#position < this.#text.length; this.#position++) {
      const code = this.#code();
      if (code === BACKSLASH) {
        const next = this.#text.charCodeAt(this.#position + 1);
        if (next !== COMMA && next !== SPACE && next !== EQUALS) continue;
        hasEscape = true;
        this.#position++;
      } else if (code === COMMA || code === SPACE || code === LINE_FEED) break;
      else if (code === EQUALS && endsAtEquals) break;
    }
    const name = this.#text.slice(start, this.#position);
    return hasEscape ? name.replace(escaped, "$1") : name;
  }

  #tags(): Array<readonly [string, string]> | LineError {
    const tags: Array<readonly [string, string]> = [];
    while (this.#code() === COMMA) {
      this.#position++;
      const name = this.#name();
      if (name === "" || this.#code() !== EQUALS) return new LineError(detail("line.tag_invalid"));
      this.#position++;
      const value = this.#name();
      if (value === "" || this.#code() === EQUALS) return new LineError(detail("line.tag_invalid"));
      if (tags.length === TAGS_PER_LINE_MAX)
        return new LineError(detail("line.too_many_tags", { max: TAGS_PER_LINE_MAX }));
      tags.push([name, value]);
    }
    return tags;
  }

  #skipSpaces(): void {
    while (this.#code() === SPACE) this.#position++;
  }

  #fields(repeated: string[]): Line["fields"] | LineError {
    const fields: Line["fields"] = Object.create(null); // `__proto__` is only a name
    for (let count = 0; ; count++) {
      if (this.#isAtEnd()) return new LineError(detail("line.fields_missing"));
      if (count === FIELDS_PER_LINE_MAX)
        return new LineError(detail("telemetry.too_many_keys", { max: FIELDS_PER_LINE_MAX }));
      const name = this.#name();
      if (name === "" || this.#code() !== EQUALS) return new LineError(detail("line.field_invalid"));
      this.#position++;
      const value = this.#code() === QUOTE ? this.#quoted() : toValue(this.#bare());
      if (value instanceof LineError) return value;
      addField(fields, [name, value], repeated);
      if (this.#code() !== COMMA) return fields;
      this.#position++;
    }
  }

  /** Reads all characters up to the end of a value. */
  #bare(): string {
    const start = this.#position;
    for (; this.#position < this.#text.length; this.#position++) {
      const code = this.#code();
      if (code === COMMA || code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN) break;
    }
    return this.#text.slice(start, this.#position);
  }

  #quoted(): string | LineError {
    const start = ++this.#position;
    let hasEscape = false;
    for (; this.#position < this.#text.length; this.#position++) {
      const code = this.#code();
      if (code === BACKSLASH) {
        hasEscape = true;
        this.#position++;
      } else if (code === QUOTE) {
        const text = this.#text.slice(start, this.#position++);
        if (text.length > QUOTED_CHARACTERS_MAX) return new LineError(detail("line.string_long"));
        return hasEscape ? text.replace(/\\(["\\])/g, "$1") : text;
      }
    }
    return new LineError(detail("line.quote_open"));
  }

  #timestamp(): string | LineError {
    const isSeparated = this.#code() === SPACE;
    this.#skipSpaces();
    const text = this.#bare();
    this.#skipSpaces();
    if (this.#code() === CARRIAGE_RETURN) this.#position++;
    if (!this.#isAtEnd()) return new LineError(detail("line.end_expected"));
    const isValid = text === "" || (isSeparated && TIMESTAMP.test(text));
    return isValid ? text : new LineError(detail("line.timestamp_invalid"));
  }
}
