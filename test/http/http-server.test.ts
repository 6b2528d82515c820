import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import type { App } from "../../src/app.ts";
import { createTestApp } from "../support/test-app.ts";

async function startAndStop(): Promise<WeakRef<App>> {
  const { app, stop } = await createTestApp();
  await stop();
  return new WeakRef(app);
}

test("a stopped gateway leaves no listener on the process, and leaves memory", async () => {
  const countListeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const before = countListeners();
  const gateways: WeakRef<App>[] = [];
  for (let index = 0; index < 4; index++) gateways.push(await startAndStop());
  expect(countListeners()).toEqual(before);
  for (let turn = 0; turn < 10; turn++) {
    await setImmediate();
    Bun.gc(true);
  }
  // The stack may still hold the last one.
  expect(gateways.filter((gateway) => gateway.deref() !== undefined).length).toBeLessThanOrEqual(1);
});
