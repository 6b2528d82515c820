import type { StoreQuery, WireDeviceSeries } from "../store.protocol.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import { pointsOf } from "./series-response.ts";
import type { SinkResult } from "./series-sink.ts";
import { durationsOf } from "./state-times.ts";

/** Approximate points per step, which take less than a ms. */
const POINTS_PER_STEP = 4_000;

/** Approximate characters per piece. */
const PIECE_CHARACTERS = 256 * 1024;

const encoder = new TextEncoder();

/** Characters that take as long to write as one number. */
const CHARACTERS_PER_POINT = 64;

/** Returns the points that a value counts as: a list (as of `timeIn`) as its items, a string by its length. */
const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return 1 + value.length / CHARACTERS_PER_POINT;
  return Array.isArray(value) ? value.length : 1;
};

function* runsOf({ ts, numbers, values: others, times }: SinkResult): Generator<SinkResult> {
  const values = times === undefined ? others : durationsOf(times);
  for (let start = 0; start < ts.length; ) {
    let end = start;
    for (let size = 0; end < ts.length && size < POINTS_PER_STEP; end++) size += sizeOf(values?.[end]);
    if (start === 0 && end === ts.length) yield { ts, numbers, values };
    else
      yield {
        ts: ts.subarray(start, end),
        numbers: numbers?.subarray(start, end) ?? null,
        values: values?.slice(start, end) ?? null,
      };
    start = end;
  }
}

/**
 * Response to a range query, equal to `JSON.stringify({data, from, to, aggregation})` in UTF-8. `onPiece` gets the beginning of a large response,
 * `end` returns the rest.
 */
export class ResponseText {
  readonly #onPiece: (piece: Uint8Array) => void;
  #texts: string[] = ['{"data":['];
  #length = 0;
  #devices = 0;

  constructor(onPiece: (piece: Uint8Array) => void) {
    this.#onPiece = onPiece;
  }

  /** Adds a device's series, in the order of the response. */
  *add({ deviceId, series }: WireDeviceSeries): Steps<void> {
    this.#write(`${this.#devices++ === 0 ? "" : ","}{"deviceId":${JSON.stringify(deviceId)},"series":[`);
    for (const [index, result] of series.entries()) {
      this.#write(`${index === 0 ? "" : ","}{"key":${JSON.stringify(result.key)},"points":[`);
      let separator = "";
      for (const run of runsOf(result)) {
        this.#write(separator);
        this.#write(JSON.stringify(pointsOf(run)).slice(1, -1));
        separator = ",";
        yield;
      }
      const { skipped, thinned } = result;
      const hasNotes = skipped !== undefined || thinned !== undefined;
      this.#write(hasNotes ? `],${JSON.stringify({ skipped, thinned }).slice(1)}` : "]}");
    }
    this.#write("]}");
  }

  /** Returns the rest of the response. */
  end({ from, to, aggregation }: StoreQuery): Uint8Array {
    this.#write(`],${JSON.stringify({ from, to, aggregation }).slice(1)}`);
    return this.#take();
  }

  /** Returns the text written since the last call. */
  #take(): Uint8Array {
    const bytes = encoder.encode(this.#texts.join(""));
    this.#texts = [];
    this.#length = 0;
    return bytes;
  }

  #write(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= PIECE_CHARACTERS) this.#onPiece(this.#take());
  }
}
