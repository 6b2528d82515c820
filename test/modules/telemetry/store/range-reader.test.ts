// A query reads block by block, and sealing rewrites the directory between two blocks.
import { expect, test } from "bun:test";
import type { BlockRef } from "../../../../src/modules/telemetry/store/block-directory.ts";
import type { BlockStore } from "../../../../src/modules/telemetry/store/block-store.ts";
import { FamilyReader } from "../../../../src/modules/telemetry/store/range-reader.ts";
import { type Column, numberTags, type Rows } from "../../../../src/modules/telemetry/store/rows.ts";
import type { SeriesSink } from "../../../../src/modules/telemetry/store/series-sink.ts";

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

  set(...blocks: number[][]): void {
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
    const store = {
      overlapping: (_: unknown, { from, to }: { from: number; to: number }) =>
        this.blocks.map(({ ref }) => ref).filter(({ minTs, maxTs }) => maxTs >= from && minTs <= to),
      lend: ({ body }: BlockRef) => this.blocks.find(({ ref }) => ref.body === body)?.rows ?? "gone",
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
