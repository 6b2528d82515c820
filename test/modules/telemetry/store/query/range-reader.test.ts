// A query reads block by block, and sealing rewrites the directory between two blocks.
import { expect, test } from "bun:test";
import type { BlockRef } from "../../../../../src/modules/telemetry/store/blocks/block-directory.ts";
import type { BlockStore } from "../../../../../src/modules/telemetry/store/blocks/block-store.ts";
import { FamilyReader } from "../../../../../src/modules/telemetry/store/query/range-reader.ts";
import type { SeriesSink } from "../../../../../src/modules/telemetry/store/query/series-sink.ts";
import { type Column, numberTags, type Rows } from "../../../../../src/modules/telemetry/store/rows.ts";

const KEY = 1;

function rowsOf(...stamps: number[]): Rows {
  const column: Column = {
    tags: numberTags(stamps.length),
    numbers: Float64Array.from(stamps),
    texts: null,
    dense: true,
  };
  return { ts: Float64Array.from(stamps), columns: new Map([[KEY, column]]) };
}

/** A directory that changes when `edit` is called. */
class Directory {
  blocks: { ref: BlockRef; rows: Rows }[] = [];

  changes = 0;

  set(...blocks: number[][]): void {
    this.changes++;
    this.blocks = blocks.map((stamps, index) => ({
      ref: {
        device: 1,
        family: 0,
        minTs: stamps[0] ?? 0,
        maxTs: stamps.at(-1) ?? 0,
        rows: stamps.length,
        points: stamps.length,
        bytes: 0,
        body: this.#nextBody + index,
        head: new Uint8Array(),
      },
      rows: rowsOf(...stamps),
    }));
    this.#nextBody += blocks.length;
  }

  #nextBody = 1;

  /** The part of the block store that a reader of rows uses. */
  get store(): BlockStore {
    const directory = this;
    const store = {
      get changes() {
        return directory.changes;
      },
      overlapping: (_: unknown, { from, to }: { from: number; to: number }) =>
        this.blocks.map(({ ref }) => ref).filter(({ minTs, maxTs }) => maxTs >= from && minTs <= to),
      lend: ({ body }: BlockRef, keys: ReadonlySet<number>) => {
        const rows = this.blocks.find(({ ref }) => ref.body === body)?.rows;
        if (rows === undefined) return "gone";
        return { ts: rows.ts, columns: new Map([...rows.columns].filter(([key]) => keys.has(key))) };
      },
      head: () => ({ columns: new Map([[KEY, { summary: { count: 1 } }]]) }),
      pieces: () => null,
    };
    return store as unknown as BlockStore;
  }
}

/** Reads everything; `meanwhile` runs in each pause with its number. */
function readAll(directory: Directory, hot: Rows, meanwhile: (pause: number) => void): number[] {
  const read: number[] = [];
  const sink: SeriesSink = {
    rows: (ts) => void read.push(...ts),
    summary: () => false,
    finish: () => null,
    isUnfit: false,
  };
  const device = { no: 1 } as never; // all that the reader needs of it
  const range = { device, family: 0, keys: new Set([KEY]), from: 0, to: 1_000 };
  const reader = new FamilyReader(directory.store, range, { hot, sinks: new Map([[KEY, sink]]) });
  let pause = 0;
  for (const _ of reader.read()) meanwhile(++pause);
  return read;
}

test("hot points that were read are not read again from the block that they are sealed into meanwhile", () => {
  const directory = new Directory();
  directory.set([1, 2], [60, 70]);
  const read = readAll(directory, rowsOf(10, 20, 30), () => {
    // The hot points become a block, and late data rewrites the block behind them.
    directory.set([1, 2], [10, 20, 30], [60, 65, 70]);
  });
  expect(read.filter((ts) => ts !== 65)).toEqual([1, 2, 10, 20, 30, 60, 70]);
});

test("blocks that are merged while they are read are read once", () => {
  const directory = new Directory();
  directory.set([1, 2], [10, 20], [60, 70]);
  expect(
    readAll(directory, rowsOf(80), (pause) => pause === 1 && directory.set([1, 2, 10, 20], [60, 70, 80])),
  ).toEqual([1, 2, 10, 20, 60, 70, 80]);
});

test("a summary is taken once where another key's rows have gone with a merge", () => {
  const OTHER = 2;
  const directory = new Directory();
  directory.set([1, 2], [10, 20], [60, 70]);
  const taken: number[] = [];
  const sink = (summary: () => boolean, rows: SeriesSink["rows"]): SeriesSink => ({
    rows,
    summary,
    finish: () => null,
    isUnfit: false,
  });
  const sinks = new Map([
    [
      KEY,
      sink(
        () => taken.push(1) > 0,
        (ts) => void taken.push(...ts),
      ),
    ],
    [
      OTHER,
      sink(
        () => false,
        () => undefined,
      ),
    ],
  ]);
  const columns = new Map([KEY, OTHER].map((key) => [key, { summary: { count: 1 } }]));
  const store = Object.defineProperty(directory.store, "head", { value: () => ({ columns }) });
  const device = { no: 1 } as never; // all that the reader needs of it
  const range = { device, family: 0, keys: new Set([KEY, OTHER]), from: 0, to: 1_000 };
  const reader = new FamilyReader(store, range, { hot: rowsOf(), sinks });
  let pause = 0;
  for (const _ of reader.read()) if (++pause === 1) directory.set([1, 2], [10, 20, 60, 70]);
  expect(taken).toEqual([1, 1]);
});
