import { TextWriter } from "../../../../lib/data/text-writer.ts";
import { TAG_ABSENT, TAG_FALSE, TAG_NUMBER, TAG_TRUE } from "../../../../lib/data/value-kind.ts";
import type { AlarmRecord, RowsRecord, UplinkColumn, UplinkDevice } from "../../target.types.ts";
import type { FieldNames, FieldType } from "../field-names.ts";

const encoder = new TextEncoder();
const TRUE = encoder.encode("true");
const FALSE = encoder.encode("false");
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;

/** Replaces line breaks, which end a line outside quotes, and a trailing backslash, which would escape the next character; neither can be escaped. */
const inOneLine = (text: string): string => text.replace(/[\r\n]+/g, " ").replace(/(?<!\\)\\+$/, "/");
/** Changes a leading `#`, which marks a comment and cannot be escaped. */
const notComment = (measurement: string): string => measurement.replace(/^#/, "-#");
const escapeMeasurement = (text: string): string => notComment(inOneLine(text)).replace(/[, ]/g, "\\$&");
const escapeName = (text: string): string => inOneLine(text).replace(/[,= ]/g, "\\$&");
const escapeText = (text: string): string => (/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text);

export type DeviceTag = "device" | "name" | "site" | "type";

export interface LineOptions {
  readonly measurement: string;
  readonly deviceTags: readonly DeviceTag[];
  readonly names: FieldNames;
  /** True to write strings and JSON. */
  readonly texts: boolean;
}

const tagOf: Readonly<Record<DeviceTag, (device: UplinkDevice) => string>> = {
  device: ({ deviceId }) => deviceId,
  name: ({ name }) => name,
  site: ({ site }) => site,
  type: ({ type }) => type,
};

/** Column with the names of its fields, `key=`, created with the first value of each type. */
interface Field {
  readonly column: UplinkColumn;
  readonly names: Map<FieldType, Uint8Array>;
}

/** Fields of one row of a device. */
interface Line {
  readonly measurement: string;
  /** Measurement and tags, up to the first field. */
  readonly head: Uint8Array;
  readonly fields: readonly Field[];
  readonly row: number;
  readonly isBroken: boolean;
}

/**
 * Writes rows in the line protocol: `measurement,tag=value field=value,field=value timestamp`, with timestamps in ms. NaN and infinities, which it
 * cannot represent, and empty tags are omitted.
 */
export class LineWriter {
  readonly #writer = new TextWriter();
  readonly #options: LineOptions;
  /** True to replace line breaks in strings by spaces, for servers that refuse them. */
  isInOneLine = false;
  /** True if a string written since `clear` has a line break. */
  hasLineBreaks = false;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#writer.length;
  }

  /** Returns the lines, which the caller may keep, and starts over. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#writer.take();
  }

  clear(): void {
    this.#writer.truncate();
    this.hasLineBreaks = false;
  }

  rows({ device, ts, columns }: RowsRecord): void {
    const measurement = this.#measurementOf(device);
    const head = encoder.encode(`${escapeMeasurement(measurement)}${this.#tagsOf(device)} `);
    const fields = columns.map((column) => ({ column, names: new Map() }));
    for (let row = 0; row < ts.length; row++) {
      const isWhole = this.#line({ measurement, head, fields, row, isBroken: false }, ts[row] ?? 0);
      // Some servers break lines within quotes. The rest of the row must not be lost because of such a string.
      if (!isWhole) this.#line({ measurement, head, fields, row, isBroken: true }, ts[row] ?? 0);
    }
  }

  alarm(measurement: string, { device, ts, ...alarm }: AlarmRecord): void {
    const { type, severity, event, alarmId, eventId, status, message } = alarm;
    const tags = this.#tagsOf({ ...device, tags: { ...device.tags, alarm: type, severity, event } });
    const texts = this.#options.texts
      ? { alarmId, eventId, status, message: message.replace(/[\r\n]+/g, " ") }
      : {};
    const fields = [`active=${status.startsWith("ACTIVE")}`];
    for (const [name, text] of Object.entries(texts)) fields.push(`${name}="${escapeText(text)}"`);
    this.#writer.text(`${escapeMeasurement(measurement)}${tags} ${fields.join(",")} ${ts}\n`);
  }

  #measurementOf(device: UplinkDevice): string {
    const { measurement } = this.#options;
    return notComment(
      measurement.replace(/\{(device|name|site|type)\}/g, (_, tag: DeviceTag) => tagOf[tag](device)) ||
        "device",
    );
  }

  #tagsOf(device: UplinkDevice): string {
    const all = { ...device.tags };
    for (const tag of this.#options.deviceTags) all[tag] = tagOf[tag](device);
    return Object.keys(all)
      .sort()
      .filter((name) => name !== "" && all[name] !== "")
      .map((name) => `,${escapeName(this.#options.names.ofTag(name))}=${escapeName(all[name] ?? "")}`)
      .join("");
  }

  /** Writes the fields of a row whose strings have line breaks, or all others. Returns whether these were all fields. */
  #line({ measurement, head, fields, row, isBroken }: Line, ts: number): boolean {
    const writer = this.#writer;
    const start = writer.length;
    writer.raw(head);
    const empty = writer.length;
    let isWhole = true;
    for (const field of fields) {
      const tag = this.#tagAt(field.column, row);
      if (tag === TAG_ABSENT) continue;
      if (this.#hasLineBreak(field.column, row) !== isBroken) {
        isWhole = false;
        continue;
      }
      if (writer.length > empty) writer.byte(COMMA);
      this.#field(measurement, field, { row, tag });
    }
    if (writer.length === empty) writer.truncate(start);
    else {
      writer.byte(SPACE);
      writer.number(ts);
      writer.byte(LINE_FEED);
    }
    return isWhole;
  }

  #hasLineBreak({ texts }: UplinkColumn, row: number): boolean {
    const hasLineBreak = !this.isInOneLine && (texts?.[row]?.includes("\n") ?? false);
    this.hasLineBreaks ||= hasLineBreak;
    return hasLineBreak;
  }

  /** Returns the tag of the value if it can be written. */
  #tagAt({ tags, numbers }: UplinkColumn, row: number): number {
    const tag = tags[row] ?? TAG_ABSENT;
    if (tag === TAG_NUMBER) return Number.isFinite(numbers[row]) ? tag : TAG_ABSENT;
    return this.#options.texts || tag === TAG_TRUE || tag === TAG_FALSE ? tag : TAG_ABSENT;
  }

  #field(measurement: string, { column, names }: Field, { row, tag }: { row: number; tag: number }): void {
    const writer = this.#writer;
    const type = tag === TAG_NUMBER ? "num" : tag === TAG_TRUE || tag === TAG_FALSE ? "bool" : "str";
    let name = names.get(type);
    if (name === undefined) {
      name = encoder.encode(`${escapeName(this.#options.names.ofField(measurement, column.key, type))}=`);
      names.set(type, name);
    }
    writer.raw(name);
    if (type === "num") writer.number(column.numbers[row] ?? 0);
    else if (type === "bool") writer.raw(tag === TAG_TRUE ? TRUE : FALSE);
    else {
      writer.byte(QUOTE);
      const text = column.texts?.[row] ?? "";
      writer.text(escapeText(this.isInOneLine ? text.replace(/[\r\n]+/g, " ") : text));
      writer.byte(QUOTE);
    }
  }
}
