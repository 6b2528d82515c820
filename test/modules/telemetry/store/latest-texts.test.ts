// The newest values as text are those that are read as objects, however many responses of the storage thread they take.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { latestMembers, type Reading } from "../../../../src/modules/telemetry/telemetry.types.ts";
import { deviceId, StoreFixture } from "./store-fixture.ts";

let fixture: StoreFixture;
beforeAll(async () => {
  fixture = await StoreFixture.start();
});
afterAll(() => fixture.dispose());

/** Texts of the devices, pieces of the list, and the same by device. */
async function textsOf(ids: readonly string[], keys?: readonly string[]) {
  const devices = ids.map(deviceId);
  const pieces: string[] = [];
  for await (const piece of fixture.store.latestTexts(devices, keys)) pieces.push(piece);
  const byDevice = new Map<string, string>();
  while (byDevice.size < devices.length)
    for (const [id, latest] of await fixture.store.latestJson(devices.slice(byDevice.size), keys))
      byDevice.set(id, `{"deviceId":${JSON.stringify(id)},${latestMembers(latest)}}`);
  return { pieces, list: JSON.parse(`[${pieces.join("")}]`), byDevice };
}

test("values of all kinds are the same as text and as objects", async () => {
  const values: Reading["values"] = JSON.parse(
    '{"n":-1.5,"b":true,"s":"a\\"\\u2028,{","j":{"x":[1,{}],"__proto__":1},"__proto__":2,"constructor":"c"}',
  );
  await fixture.append("kinds", [{ ts: 1_700_000_000_000, values }]);
  await fixture.append("other", [{ ts: 1_700_000_000_001, values: { n: 1 } }]);
  const ids = ["kinds", "unknown", "other"];
  const expected = await fixture.store.latest(ids.map(deviceId));
  const { list, byDevice } = await textsOf(ids);
  expect(JSON.stringify(list)).toBe(JSON.stringify(expected));
  expect([...byDevice.values()].map((text) => JSON.parse(text))).toEqual(list);
  const [named] = (await textsOf(["kinds"], ["n"])).list;
  expect(named).toEqual({
    deviceId: "kinds",
    values: { n: -1.5 },
    timestamps: { n: 1_700_000_000_000 },
    ts: 1_700_000_000_000,
  });
  expect((await textsOf([])).list).toEqual([]);
});

test.each([
  ["many values", 3, Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]))],
  [
    "long texts",
    3,
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`t${index}`, ",{".repeat(30_000)])),
  ],
])("devices with %s are complete, in pieces that are not long", async (name, count, values) => {
  const ids = Array.from({ length: count }, (_, index) => `${name} ${index}`);
  for (const id of ids) await fixture.append(id, [{ ts: 1_700_000_000_000, values }]);
  const { pieces, list, byDevice } = await textsOf(ids);
  expect(list).toEqual(await fixture.store.latest(ids.map(deviceId)));
  expect([...byDevice].map(([id, text]) => [id, JSON.parse(text).deviceId])).toEqual(
    ids.map((id) => [deviceId(id), id]),
  );
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000);
});

test("texts by device are those of the first devices, as many as fit", async () => {
  const ids = ["wide a", "wide b", "wide c"].map(deviceId);
  const long = "x".repeat(60_000);
  const values = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`key ${index}`, long]));
  for (const name of ["wide a", "wide b", "wide c"])
    await fixture.append(name, [{ ts: 1_700_000_000_000, values }]);
  const first = await fixture.store.latestJson(ids);
  expect([...first.keys()]).toEqual(ids.slice(0, 2));
  expect(JSON.parse(first.get(ids[1]!)!.values)).toEqual(values);
  expect([...(await fixture.store.latestJson(ids.slice(2))).keys()]).toEqual(ids.slice(2));
});

test("scalars are the newest values without lists and objects", async () => {
  const values = { n: 1, b: true, s: "text", list: [{}], object: { a: 1 } };
  await fixture.append("scalars", [{ ts: 1_700_000_000_000, values }]);
  const found = [];
  for await (const snapshots of fixture.store.latestScalars([deviceId("scalars"), deviceId("unknown")]))
    found.push(...snapshots);
  expect(found.map((snapshot) => snapshot.values)).toEqual([
    { ...values, list: {}, object: {} } as never,
    {},
  ]);
  expect(found[0]?.timestamps.list).toBe(1_700_000_000_000);
});
