import { afterEach, beforeEach, expect, test } from "bun:test";
import { createRandom } from "../../../../../src/lib/data/random.ts";
import { noDefinitions, sealGroup } from "../../../../../src/modules/telemetry/store/hot/group-format.ts";
import { FORM_COLUMNS, FORM_RAW, FORM_ZSTD } from "../../../../../src/modules/telemetry/store/hot/hot-log.ts";
import { packGroup, unpackGroup } from "../../../../../src/modules/telemetry/store/hot/hot-packing.ts";
import { StagingBuffer } from "../../../../../src/modules/telemetry/store/hot/staging-buffer.ts";
import { PatternTree } from "../../../../../src/modules/telemetry/store/query/pattern-tree.ts";
import { TelemetryFile } from "../../../../../src/modules/telemetry/store/telemetry-file.ts";
import type { TelemetryValue } from "../../../../../src/modules/telemetry/telemetry.types.ts";
import { deviceId, deviceKeys, StoreFixture, tenant } from "../store-fixture.ts";

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await StoreFixture.start({ groupCommitWindowMs: 1 });
});
afterEach(() => fixture.dispose());

type Values = Record<string, TelemetryValue>;

/** A group of messages, one a millisecond, and the columns of its patterns. */
function groupOf(messages: readonly Values[]) {
  const definitions = noDefinitions();
  const patterns = new PatternTree(definitions);
  const staging = new StagingBuffer(patterns);
  const devices = Array.from({ length: 5 }, (_, no) => ({
    no,
    tenantId: tenant,
    deviceId: deviceId(`d${no}`),
    pattern: patterns.root,
    keys: deviceKeys(),
  }));
  for (const [index, values] of messages.entries())
    staging.write(devices[index % devices.length]!, [{ ts: 1_700_000_000_000 + index, values }]);
  const { buffer, bytes } = staging.take();
  patterns.collectInto(definitions);
  const group = new Uint8Array(buffer, 0, bytes);
  sealGroup(group);
  const columns = new Map(definitions.patterns.map(({ no, columns: of }) => [no, of]));
  return { group, columnsOf: (pattern: number) => columns.get(pattern) };
}

const climate = (index: number): Values => ({
  temperature: 20 + (index % 50) / 10,
  humidity: 40 + (index % 7),
});

/** Patterns and values of every kind, in no order. */
function mixed(random: () => number): Values {
  const values: Values[] = [
    climate(Math.floor(random() * 100)),
    { temperature: random() * 1e9, on: random() < 0.5 },
    { state: ["idle", "running", "\ud800", ""][Math.floor(random() * 4)]!, temperature: -0 },
    { position: { x: Math.floor(random() * 10) }, on: true },
    { count: Math.floor(random() * 2 ** 53), tiny: 5e-324 },
  ];
  return values[Math.floor(random() * values.length)]!;
}

test("a group comes back byte for byte, whatever it holds and however it was packed", () => {
  const random = createRandom(3);
  const forms = new Set<number>();
  for (let round = 0; round < 200; round++) {
    const count = 1 + Math.floor(random() * 200);
    const { group, columnsOf } = groupOf(Array.from({ length: count }, () => mixed(random)));
    for (const densely of [false, true]) {
      const { form, data } = packGroup(group, densely, columnsOf);
      forms.add(form);
      expect(unpackGroup(form, data)).toEqual(group);
    }
  }
  expect([...forms].sort()).toEqual([FORM_RAW, FORM_ZSTD, FORM_COLUMNS]);
});

test("dense packing takes a fraction of the space, and what cannot be compressed stays as it is", () => {
  const { group, columnsOf } = groupOf(Array.from({ length: 500 }, (_, index) => climate(index)));
  const fast = packGroup(group, false, columnsOf);
  const dense = packGroup(group, true, columnsOf);
  expect([fast.form, dense.form]).toEqual([FORM_ZSTD, FORM_COLUMNS]);
  expect(dense.data.byteLength).toBeLessThan(fast.data.byteLength / 3);
  const random = createRandom(5);
  const wide = Object.fromEntries(
    Array.from({ length: 200 }, (_, key) => [`k${key}`, random() * 10 ** (random() * 600 - 300)]),
  );
  const noise = groupOf([wide]);
  expect(packGroup(noise.group, true, noise.columnsOf).form).toBe(FORM_RAW);
});

test("a group of a pattern that is not known is packed without its columns", () => {
  const { group } = groupOf(Array.from({ length: 500 }, (_, index) => climate(index)));
  expect(packGroup(group, true, () => undefined).form).toBe(FORM_ZSTD);
});

test("a form that nobody knows and damaged bytes are refused", () => {
  const { group, columnsOf } = groupOf(Array.from({ length: 500 }, (_, index) => climate(index)));
  const { data } = packGroup(group, true, columnsOf);
  expect(() => unpackGroup(9, data)).toThrow("form 9");
  expect(() => unpackGroup(FORM_COLUMNS, data.subarray(0, data.length >> 1))).toThrow();
  const damagedCount = data.slice().fill(0xff, 12, 16);
  expect(() => unpackGroup(FORM_COLUMNS, damagedCount)).toThrow("damaged");
});

test("with a commit window set groups are packed densely, and a restart reads them", async () => {
  const readings = Array.from({ length: 300 }, (_, ts) => ({ ts, values: { a: ts / 10, b: ts % 2 === 0 } }));
  await fixture.append("d", readings);
  await fixture.store.stop();
  const file = new TelemetryFile(fixture.file, { isReadOnly: true });
  expect([...file.log.all()].map(({ form }) => form)).toEqual([FORM_COLUMNS]);
  file.close();
  await fixture.store.start();
  expect((await fixture.store.check()).problems).toEqual([]);
  expect(await fixture.points("d", "a")).toEqual(readings.map(({ ts, values }) => [ts, values.a]));
});
