import { afterEach, expect, spyOn, test } from "bun:test";
import { coalesced, DrawingPace } from "../../../src/web/platform/coalesce.ts";
import { until } from "../../support/until.ts";

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

const restores: (() => void)[] = [];
afterEach(() => {
  for (const restore of restores.splice(0)) restore();
});

test("a picture that took seconds delays the next one by a fraction of a second", async () => {
  let timeMs = 0;
  let pictures = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => timeMs);
  const timers = spyOn(globalThis, "setTimeout");
  const before = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (draw) => {
    queueMicrotask(() => draw(0));
    return 0;
  };
  restores.push(
    () => clock.mockRestore(),
    () => timers.mockRestore(),
    () => {
      globalThis.requestAnimationFrame = before;
    },
  );
  const pace = new DrawingPace(() => {
    timeMs += 8_000;
    pictures++;
  });
  pace.ask();
  await until(() => pictures === 1);
  await Bun.sleep(5); // the message that ends the picture
  timers.mockClear();
  timers.mockImplementation((() => 0) as unknown as typeof setTimeout); // it would fire after this test
  pace.ask();
  expect(timers.mock.calls.map(([, waitMs]) => waitMs)).toEqual([100]);
});
