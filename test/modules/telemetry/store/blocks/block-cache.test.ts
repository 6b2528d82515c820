import { describe, expect, test } from "bun:test";
import { BlockCache, cachedBytesMax } from "../../../../../src/modules/telemetry/store/blocks/block-cache.ts";
import { decodeHead, encodeBlock } from "../../../../../src/modules/telemetry/store/codec/block-codec.ts";
import { OpenedBlock } from "../../../../../src/modules/telemetry/store/codec/opened-block.ts";
import { numberTags } from "../../../../../src/modules/telemetry/store/rows.ts";

function blockOf(rows: number): OpenedBlock {
  const ts = Float64Array.from({ length: rows }, (_, row) => 1_000 + row);
  const numbers = Float64Array.from(ts, (stamp) => Math.sin(stamp));
  const columns = new Map([[1, { tags: numberTags(rows), numbers, texts: null, dense: true }]]);
  const steps = encodeBlock({ ts, columns }, "fast");
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return new OpenedBlock(decodeHead(step.value.head), step.value.body);
}

const BLOCK = blockOf(64);

describe("the cache of blocks", () => {
  test("holds no more than its limit, and all of what fits", () => {
    const cache = new BlockCache(BLOCK.bytes * 10);
    for (let body = 0; body < 10; body++) cache.put(body, BLOCK);
    for (let body = 0; body < 10; body++) expect(cache.get(body)).toBe(BLOCK);
    for (let body = 10; body < 1_000; body++) {
      cache.put(body, BLOCK);
      expect(cache.get(body)).toBe(BLOCK);
      expect(cache.bytes).toBe(BLOCK.bytes * 10);
    }
  });

  test("keeps some of more blocks than fit that are read in the same order again and again", () => {
    const cache = new BlockCache(BLOCK.bytes * 100);
    let hits = 0;
    for (let read = 0; read < 1_200; read++) {
      const body = read % 120;
      if (cache.get(body) === undefined) cache.put(body, BLOCK);
      else hits++;
    }
    expect(hits).toBeGreaterThan(400);
  });

  test("counts a block again that has grown, and forgets those that are gone", () => {
    const cache = new BlockCache(1_000_000);
    const block = blockOf(4_096);
    cache.put(1, block);
    block.sums(1);
    cache.put(1, block);
    cache.put(2, BLOCK);
    expect(cache.bytes).toBe(block.bytes + BLOCK.bytes);
    cache.delete(1);
    cache.delete(1);
    expect(cache.get(1)).toBeUndefined();
    cache.put(3, BLOCK);
    cache.delete(3);
    cache.delete(2);
    expect(cache.bytes).toBe(0);
  });

  test("takes its part of the machine's memory within limits", () => {
    const mib = 1024 * 1024;
    expect(cachedBytesMax(512 * mib)).toBe(32 * mib);
    expect(cachedBytesMax(6_144 * mib)).toBe(48 * mib);
    expect(cachedBytesMax(65_536 * mib)).toBe(64 * mib);
  });
});
