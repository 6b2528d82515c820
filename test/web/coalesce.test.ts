import { expect, test } from "bun:test";
import { coalesced } from "../../src/web/platform/coalesce.ts";

test("a burst of calls becomes one, and a later burst one more", async () => {
  let runs = 0;
  const ask = coalesced(() => runs++, 5);
  for (let i = 0; i < 100; i++) ask();
  while (runs === 0) await Bun.sleep(1);
  expect(runs).toBe(1);
  ask();
  ask();
  while (runs === 1) await Bun.sleep(1);
  await Bun.sleep(20);
  expect(runs).toBe(2);
});
