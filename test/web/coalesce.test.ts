import { expect, test } from "bun:test";
import { coalesced } from "../../src/web/platform/coalesce.ts";
import { until } from "../support/until.ts";

test("a burst of calls becomes one, and a later burst one more", async () => {
  let runs = 0;
  const ask = coalesced(() => runs++, 5);
  for (let i = 0; i < 100; i++) ask();
  await until(() => runs > 0);
  expect(runs).toBe(1);
  ask();
  ask();
  await until(() => runs > 1);
  ask(); // whatever the burst before left behind would run before this
  await until(() => runs > 2);
  expect(runs).toBe(3);
});
