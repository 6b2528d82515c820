// What a burst such as an import has left hot is sealed soon after its end; what arrives at a steady rate waits for the end of its hour.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../support/until.ts";
import { StoreFixture } from "./store-fixture.ts";

const SETTLED = { settledMs: 1_000 };
let stores: { settled: StoreFixture; growing: StoreFixture; small: StoreFixture };
beforeAll(async () => {
  const [settled, growing, small] = await Promise.all([1, 2, 3].map(() => StoreFixture.start(SETTLED)));
  stores = { settled: settled!, growing: growing!, small: small! };
});
afterAll(() => Promise.all(Object.values(stores).map((store) => store.dispose())));

const append = (store: StoreFixture, from: number, count: number) =>
  store.append(
    "d",
    Array.from({ length: count }, (_, row) => ({ ts: from + row, values: { value: row } })),
  );
const hotPoints = async ({ store }: StoreFixture) => (await store.stats()).hotPoints;

test("an import is sealed once nothing follows, also after a restart; few points, and those to which others are added, are not", async () => {
  const { settled, growing, small } = stores;
  await append(settled, 0, 25_000);
  await append(growing, 0, 25_000);
  await append(small, 0, 15_000);
  await settled.restart();
  expect(await hotPoints(settled)).toBe(25_000);
  let points = 25_000;
  const isSealed = async () => {
    await append(growing, points, 1_500);
    points += 1_500;
    return (await hotPoints(settled)) === 0;
  };
  await until(async () => {
    await Bun.sleep(500); // each look adds points, and sealing needs time between them
    return isSealed();
  });
  expect(await hotPoints(growing)).toBe(points);
  expect(await hotPoints(small)).toBe(15_000);
  expect((await settled.points("d", "value")).length).toBe(25_000);
}, 30_000);
