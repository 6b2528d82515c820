import { expect, test } from "bun:test";
import fc from "fast-check";
import type {
  BlockDirectory,
  BlockRef,
} from "../../../../src/modules/telemetry/store/blocks/block-directory.ts";
import { DirectoryCache } from "../../../../src/modules/telemetry/store/blocks/block-store.ts";

const DEVICE = 3;
const FAMILY = 0;
const of = { device: DEVICE, family: FAMILY };

const lineOf = (body: number, minTs: number): BlockRef => ({
  ...of,
  minTs,
  maxTs: minTs + 5,
  rows: 2,
  points: 2,
  bytes: 10,
  body,
  head: new Uint8Array(0),
});

/** A directory in memory that counts how often it is read. */
class Directory {
  lines: BlockRef[] = [];
  reads = 0;

  overlapping(_: typeof of, range: { from: number; to: number }, limit: number): BlockRef[] {
    this.reads++;
    return this.lines.filter(({ minTs, maxTs }) => maxTs >= range.from && minTs <= range.to).slice(0, limit);
  }

  newestBefore(_: typeof of, ts: number): BlockRef | null {
    this.reads++;
    return this.lines.findLast(({ minTs }) => minTs < ts) ?? null;
  }

  replace(removed: readonly BlockRef[], added: readonly BlockRef[]): void {
    const kept = this.lines.filter((line) => !removed.includes(line));
    this.lines = [...kept, ...added].sort((a, b) => a.minTs - b.minTs);
  }
}

const open = () => {
  const directory = new Directory();
  return { directory, cache: new DirectoryCache(directory as unknown as BlockDirectory) };
};

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };

test("answers as the directory does, whatever is replaced", () => {
  const edits = fc.array(
    fc.record({ remove: fc.nat(3), slots: fc.uniqueArray(fc.nat(200), { maxLength: 4 }) }),
    {
      maxLength: 30,
    },
  );
  const ofAny = fc.property(edits, fc.nat(2_000), (list, ts) => {
    const { directory, cache } = open();
    let body = 0;
    for (const { remove, slots } of list) {
      const removed = directory.lines.slice(0, remove);
      const isFree = (slot: number) => !directory.lines.some(({ minTs }) => minTs === slot * 10);
      const added = slots.filter(isFree).map((slot) => lineOf(++body, slot * 10));
      directory.replace(removed, added);
      cache.change(of, { removed, added });
      expect(cache.overlapping(of, everything, 1_000)).toEqual(directory.overlapping(of, everything, 1_000));
      const range = { from: ts, to: ts + 300 };
      expect(cache.overlapping(of, range, 7)).toEqual(directory.overlapping(of, range, 7));
      expect(cache.newestBefore(of, ts)).toEqual(directory.newestBefore(of, ts));
    }
  });
  fc.assert(ofAny, { numRuns: 100 });
});

test("reads a family once, although blocks are added to it", () => {
  const { directory, cache } = open();
  directory.replace([], [lineOf(1, 10)]);
  cache.overlapping(of, everything, 10);
  for (let body = 2; body < 50; body++) {
    const added = [lineOf(body, body * 10)];
    directory.replace([], added);
    cache.change(of, { removed: [], added });
    expect(cache.overlapping(of, everything, 100).length).toBe(body);
  }
  expect(directory.reads).toBe(1);
});

test("leaves a family to the directory once it has too many lines, until it has fewer", () => {
  const { directory, cache } = open();
  const many = Array.from({ length: 2_048 }, (_, index) => lineOf(index, index * 10));
  directory.replace([], many);
  cache.overlapping(of, everything, 1);
  const added = [lineOf(5_000, 50_000)];
  directory.replace([], added);
  cache.change(of, { removed: [], added });
  expect(cache.newestBefore(of, 60_000)?.body).toBe(5_000);
  const removed = directory.lines.slice(0, 2_000);
  directory.replace(removed, []);
  cache.change(of, { removed, added: [] });
  cache.overlapping(of, everything, 1);
  const reads = directory.reads;
  expect(cache.overlapping(of, everything, 1_000).length).toBe(49);
  expect(directory.reads).toBe(reads);
});
