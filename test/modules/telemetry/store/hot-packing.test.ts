import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createRandom } from "../../../../src/lib/random.ts";
import { packGroup, unpackGroup } from "../../../../src/modules/telemetry/store/hot-packing.ts";
import { FORM_PLANES, FORM_RAW, FORM_ZSTD } from "../../../../src/modules/telemetry/store/telemetry-file.ts";
import { StoreFixture } from "./store-fixture.ts";

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await StoreFixture.start({ groupCommitWindowMs: 1 });
});
afterEach(() => fixture.dispose());

/** Time stamps and slowly changing values, with some bytes at the end that fill no word. */
function groupOf(words: number, rest: number): Uint8Array {
  const numbers = Float64Array.from({ length: words }, (_, i) =>
    i % 2 === 0 ? 1_700_000_000_000 + i : 20 + (i % 50) / 10,
  );
  return new Uint8Array([...new Uint8Array(numbers.buffer), ...new Uint8Array(rest).fill(7)]);
}

test("a group comes back byte for byte, whatever its length and however it was packed", () => {
  const random = createRandom(3);
  for (let round = 0; round < 200; round++) {
    const group = groupOf(Math.floor(random() * 400), Math.floor(random() * 8));
    for (const densely of [false, true]) {
      const { form, data } = packGroup(group, densely);
      expect(unpackGroup(form, data)).toEqual(group);
    }
  }
});

test("dense packing takes less space, and what cannot be compressed stays as it is", () => {
  const group = groupOf(2_000, 3);
  const fast = packGroup(group, false);
  const dense = packGroup(group, true);
  expect([fast.form, dense.form]).toEqual([FORM_ZSTD, FORM_PLANES]);
  expect(dense.data.byteLength).toBeLessThan(fast.data.byteLength);
  const noise = crypto.getRandomValues(new Uint8Array(4_000));
  expect(packGroup(noise, true)).toEqual({ form: FORM_RAW, data: noise });
});

test("a form that nobody knows and damaged bytes are refused", () => {
  const { data } = packGroup(groupOf(500, 0), true);
  expect(() => unpackGroup(9, data)).toThrow("form 9");
  expect(() => unpackGroup(FORM_PLANES, data.subarray(0, data.length >> 1))).toThrow();
});

test("with a commit window set groups are packed densely, and a restart reads them", async () => {
  const readings = Array.from({ length: 300 }, (_, ts) => ({ ts, values: { a: ts / 10, b: ts % 2 === 0 } }));
  await fixture.append("d", readings);
  await fixture.store.stop();
  const file = new Database(fixture.file);
  expect(file.query("SELECT form FROM hot").values()).toEqual([[FORM_PLANES]]);
  file.close();
  await fixture.store.start();
  expect((await fixture.store.check()).problems).toEqual([]);
  expect(await fixture.points("d", "a")).toEqual(readings.map(({ ts, values }) => [ts, values.a]));
});
