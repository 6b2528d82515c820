import type { TextWriter } from "../../../lib/data/text-writer.ts";
import { iso } from "../../../lib/time/iso-time.ts";
import type { RowsRecord, UplinkDevice } from "../target.types.ts";
import { JsonValues, type NonFinite } from "./json-values.ts";
import type { RowSource } from "./row-packing.ts";

const PLACE = /\{(ts|time|values|value|key|device|deviceId|type|site|tags)\}/g;
const utf8 = new TextEncoder();
/** Max. bytes of a timestamp in either form. */
const PLACE_BYTES_MAX = 30;
const COMMA = utf8.encode(",");

/** Placeholders that differ from row to row; the others are fixed text once the device is known. */
const ROW_PLACES = ["ts", "time", "values", "value", "key"] as const;
type RowPlace = (typeof ROW_PLACES)[number];
const isRowPlace = (place: string): place is RowPlace => ROW_PLACES.some((name) => name === place);

type Part = { readonly place: string } | { readonly text: string };
type BoundPart = { readonly place: RowPlace } | { readonly bytes: Uint8Array };

/** Payload in which placeholders such as `{ts}` are replaced by JSON. */
export type PayloadTemplate = readonly Part[];

export const ROW_TEMPLATE = '{"ts":{ts},"values":{values}}';
export const VALUE_TEMPLATE = '{"ts":{ts},"value":{value}}';

export function compilePayload(template: string): PayloadTemplate {
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(PLACE)) {
    parts.push({ text: template.slice(end, match.index) }, { place: match[1] ?? "" });
    end = match.index + match[0].length;
  }
  parts.push({ text: template.slice(end) });
  return parts.filter((part) => !("text" in part) || part.text !== "");
}

function deviceJson(place: string, { name, deviceId, type, site, tags }: UplinkDevice): string {
  if (place === "tags") return JSON.stringify(tags);
  if (place === "deviceId") return JSON.stringify(deviceId);
  if (place === "type") return JSON.stringify(type);
  return JSON.stringify(place === "site" ? site : name);
}

/** Replaces the placeholders of the device by text, so that a row only costs its variable parts. */
function bind(template: PayloadTemplate, device: UplinkDevice): BoundPart[] {
  const bound: BoundPart[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") bound.push({ bytes: utf8.encode(text) });
    text = "";
  };
  for (const part of template) {
    if ("text" in part) text += part.text;
    else if (!isRowPlace(part.place)) text += deviceJson(part.place, device);
    else {
      flush();
      bound.push({ place: part.place });
    }
  }
  flush();
  return bound;
}

export interface TemplateRowsOptions {
  readonly template: PayloadTemplate;
  /** Text before the first row of a message. */
  readonly head?: string;
  readonly tail?: string;
  readonly nonFinite: NonFinite;
  /** Max. keys per row. */
  readonly keysMax?: number;
  /** Returns the number for a timestamp; default: epoch ms. */
  readonly toTs?: (ts: number) => number;
}

/** Rows formatted by a template. */
export class TemplateRows implements RowSource {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly head: Uint8Array;
  readonly separator = COMMA;
  readonly tail: Uint8Array;
  readonly #writer: TextWriter;
  readonly #record: RowsRecord;
  readonly #parts: readonly BoundPart[];
  /** Max. bytes after the values of a row. */
  readonly #restBytes: number;
  readonly #values: JsonValues;
  readonly #toTs: ((ts: number) => number) | undefined;

  constructor(
    writer: TextWriter,
    record: RowsRecord,
    { template, head = "", tail = "", toTs, ...options }: TemplateRowsOptions,
  ) {
    this.#writer = writer;
    this.#record = record;
    this.rowCount = record.ts.length;
    this.columnCount = record.columns.length;
    this.head = utf8.encode(head);
    this.tail = utf8.encode(tail);
    this.#parts = bind(template, record.device);
    const position = this.#parts.findIndex((part) => "place" in part && part.place === "values");
    this.#restBytes = this.#parts
      .slice(position + 1)
      .reduce((bytes, part) => bytes + ("bytes" in part ? part.bytes.length : PLACE_BYTES_MAX), 0);
    this.#toTs = toTs;
    this.#values = new JsonValues(writer, record.columns, options);
  }

  write(row: number, from: number, bytesMax: number): number {
    const writer = this.#writer;
    const start = writer.length;
    let next = this.columnCount;
    let isEmpty = false;
    for (const part of this.#parts) {
      if ("bytes" in part) writer.raw(part.bytes);
      else if (part.place === "values") {
        const before = writer.length;
        next = this.#values.object(row, from, bytesMax - (before - start) - this.#restBytes);
        isEmpty = writer.length === before;
      } else this.#place(part.place, row);
    }
    if (isEmpty) writer.truncate(start);
    return next;
  }

  /** Returns the payload with the value of one column; undefined if the row does not have it. */
  single(row: number, position: number): Uint8Array | undefined {
    const column = this.#record.columns[position];
    if (column === undefined || !this.#values.has(column, row)) return undefined;
    const writer = this.#writer;
    writer.truncate();
    for (const part of this.#parts) {
      if ("bytes" in part) writer.raw(part.bytes);
      else if (part.place === "value") this.#values.value(column, row);
      else if (part.place === "key") writer.text(JSON.stringify(column.key));
      else this.#place(part.place, row);
    }
    return writer.bytes().slice();
  }

  #place(place: RowPlace, row: number): void {
    const ts = this.#record.ts[row] ?? 0;
    if (place === "time") this.#writer.text(JSON.stringify(iso(ts)));
    else if (place === "ts") this.#writer.number(this.#toTs?.(ts) ?? ts);
    else this.#writer.text("null");
  }
}
