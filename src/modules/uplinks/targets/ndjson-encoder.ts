import { TextWriter } from "../../../lib/data/text-writer.ts";
import type { Batch, RowsRecord, UplinkDevice, UplinkRecord } from "../target.types.ts";
import { JsonValues } from "./json-values.ts";

const encoder = new TextEncoder();
const VALUES = encoder.encode(',"values":');
const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;

/** Returns the first members of every line. */
const deviceFields = ({ deviceId, name, type, site, tags }: UplinkDevice) => ({
  device: deviceId,
  name,
  type,
  site,
  tags,
});

/** Returns a record other than rows, as the members of an object. */
export function eventLine(record: Exclude<UplinkRecord, RowsRecord>): Record<string, unknown> {
  const fields = { kind: record.kind, ...deviceFields(record.device) };
  switch (record.kind) {
    case "deletion":
      return { ...fields, keys: record.keys, from: record.from, to: record.to };
    case "attributes":
      return { ...fields, ts: record.ts, scope: record.scope, values: record.values };
    case "alarm": {
      const { ts, alarmId, type: alarmType, severity, status, event, eventId, message } = record;
      return { ...fields, ts, alarmId, alarmType, severity, status, event, eventId, message };
    }
    case "device":
      return { ...fields, ts: record.ts, change: record.change };
  }
}

/** @param end offset after the line feed */
export type LineListener = (record: UplinkRecord, end: number) => void;

/**
 * Encodes batches as NDJSON: one JSON object per line, in the order of the records. A row of values is
 * `{"device","name","type","site","tags","ts","values":{"key":value}}`: `device` is the id, `site` the name of the gateway, `tags` the static tags
 * of the uplink, `ts` epoch ms. Numbers are read back exactly; NaN and infinities, which JSON does not have, are null. Every other line has a `kind`
 * and the same device fields: `deletion` (`keys`, null for all, deleted `from` to `to`, inclusive), `attributes` (`ts`, `scope`, `values`, null for
 * deleted ones), `alarm` (`ts`, `alarmId`, `alarmType`, `severity`, `status`, `event`, `eventId`, `message`) and `device` (`ts`, `change`). New
 * kinds may be added: receivers should ignore unknown ones.
 */
export class NdjsonEncoder {
  readonly #writer = new TextWriter();

  /** Returns bytes that the caller may keep. `onLine` is called with the end of each line of a record. */
  encode({ records }: Batch, onLine?: LineListener): Uint8Array<ArrayBuffer> {
    this.#writer.truncate();
    for (const record of records) {
      if (record.kind === "rows") this.#rows(record, onLine);
      else {
        this.#writer.text(JSON.stringify(eventLine(record)));
        this.#writer.byte(LINE_FEED);
        onLine?.(record, this.#writer.length);
      }
    }
    return this.#writer.take();
  }

  #rows(record: RowsRecord, onLine: LineListener | undefined): void {
    const { device, ts, columns } = record;
    const writer = this.#writer;
    const head = encoder.encode(`${JSON.stringify(deviceFields(device)).slice(0, -1)},"ts":`);
    const values = new JsonValues(writer, columns, { nonFinite: "null" });
    for (let row = 0; row < ts.length; row++) {
      const start = writer.length;
      writer.raw(head);
      writer.number(ts[row] ?? 0);
      writer.raw(VALUES);
      const before = writer.length;
      values.object(row, 0, Number.POSITIVE_INFINITY);
      if (writer.length === before) {
        writer.truncate(start);
        continue;
      }
      writer.byte(CLOSING_BRACE);
      writer.byte(LINE_FEED);
      onLine?.(record, writer.length);
    }
  }
}
