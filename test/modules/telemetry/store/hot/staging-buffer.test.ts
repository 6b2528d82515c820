import { describe, expect, test } from "bun:test";
import {
  HEADER_READINGS,
  HEADER_RECORD_END,
  HEADER_WORDS,
  noDefinitions,
} from "../../../../../src/modules/telemetry/store/hot/group-format.ts";
import { StagingBuffer } from "../../../../../src/modules/telemetry/store/hot/staging-buffer.ts";
import { PatternTree } from "../../../../../src/modules/telemetry/store/query/pattern-tree.ts";
import { deviceId, deviceKeys, tenant } from "../store-fixture.ts";

function setUp(nodesMax?: number) {
  const definitions = noDefinitions();
  const patterns = new PatternTree(definitions, nodesMax);
  const staging = new StagingBuffer(patterns);
  const device = {
    tenantId: tenant,
    deviceId: deviceId("d"),
    no: 7,
    pattern: patterns.root,
    keys: deviceKeys(),
  };
  return { definitions, staging, device };
}

/** Pattern numbers of the records, given each pattern's width. */
function patternsOf(buffer: ArrayBuffer, widths: readonly number[]): number[] {
  const words = new Uint32Array(buffer);
  const found: number[] = [];
  for (let offset = HEADER_WORDS; offset < words[HEADER_RECORD_END]!; ) {
    expect(words[offset * 2]).toBe(7);
    const pattern = words[offset * 2 + 1]!;
    found.push(pattern);
    offset += 2 + widths[pattern]!;
  }
  return found;
}

describe("staging", () => {
  test("gives readings with the same keys and kinds the same pattern", () => {
    const { definitions, staging, device } = setUp();
    staging.write(device, [
      { ts: 1, values: { a: 1, b: true } },
      { ts: 2, values: { a: 2, b: false } },
      { ts: 3, values: { a: "x", b: true } },
      { ts: 4, values: { b: true, a: 1 } },
      { ts: 5, values: { a: 5, b: true } },
    ]);
    const { buffer } = staging.take();
    expect(patternsOf(buffer, [2, 2, 2])).toEqual([0, 0, 1, 2, 0]);
    expect(definitions.keys).toEqual([
      { no: 0, name: "a" },
      { no: 1, name: "b" },
    ]);
    expect(definitions.patterns.map(({ columns }) => columns)).toEqual([
      [0, 5],
      [2, 5],
      [5, 0],
    ]);
  });

  test("writes key by key once there is no room for new combinations", () => {
    const { definitions, staging, device } = setUp(3);
    staging.write(device, [{ ts: 1, values: { a: 1, b: 2 } }]);
    staging.write(device, [{ ts: 2, values: { c: 1, b: 2, a: 3 } }]);
    const { buffer } = staging.take();
    expect(new Uint32Array(buffer)[HEADER_READINGS]).toBe(2);
    expect(patternsOf(buffer, [2, 1, 1, 1])).toEqual([0, 1, 2, 3]);
    expect(definitions.patterns.map(({ columns }) => columns)).toEqual([[0, 4], [8], [4], [0]]);
  });

  test("keeps nothing of an append that is refused half-way", () => {
    const { staging, device } = setUp();
    const refused = [
      { ts: 1, values: { a: "some text" } },
      { ts: Number.NaN, values: { a: 1 } },
    ];
    const bytes = staging.bytes;
    expect(() => staging.write(device, refused)).toThrow("timestamp");
    expect(staging.bytes).toBe(bytes);
    expect(staging.isEmpty).toBe(true);
  });

  test("grows with what is written", () => {
    const { staging, device } = setUp();
    const values = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key${i}`, i]));
    for (let ts = 0; ts < 500; ts++) staging.write(device, [{ ts, values }]);
    const { buffer } = staging.take();
    const numbers = new Float64Array(buffer);
    const lastRecord = new Uint32Array(buffer)[HEADER_RECORD_END]! - 302;
    expect(numbers[lastRecord + 1]).toBe(499);
    expect([...numbers.subarray(lastRecord + 2, lastRecord + 302)]).toEqual([...Array(300).keys()]);
  });

  test("one tenant may fill a group alone, and leaves room when others stage something too", () => {
    const { staging, device } = setUp();
    const other = { ...device, no: 8, keys: deviceKeys() };
    const stage = (by: typeof device, bytes: number) =>
      staging.write(by, [{ ts: 1, values: { text: "x".repeat(bytes) } }]);
    const isFull = (by: typeof device) => staging.isFullFor(by.keys.tenant, 10_000);
    stage(device, 9_000);
    expect([isFull(device), isFull(other)]).toEqual([false, false]);
    stage(device, 2_000);
    expect([isFull(device), isFull(other)]).toEqual([true, false]);
    stage(other, 1_000);
    expect([isFull(device), isFull(other)]).toEqual([true, false]);
    stage(other, 9_000);
    expect(isFull(other)).toBe(true);
    staging.take();
    stage(other, 100);
    stage(device, 3_000);
    expect([isFull(device), isFull(other)]).toEqual([true, false]);
  });
});
