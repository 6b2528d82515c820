import { expect, test } from "bun:test";
import type { DeviceId, TenantId } from "../../../src/lib/core/ids.ts";
import type { DemoPlant } from "../../../src/modules/demo-plant/demo-plant.types.ts";
import { DemoPlantEngine } from "../../../src/modules/demo-plant/demo-plant-engine.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const tenantId = "tenant" as TenantId;
const plant: DemoPlant = {
  tenantId,
  isRunning: true,
  parts: {
    gateways: [],
    machines: ["press" as DeviceId],
    profiles: [],
    dashboardId: "board",
    remembered: [],
  },
  createdAt: 0,
};

/** An engine whose storage answers when `release` is called. */
function engineWithSlowStorage() {
  const waiting: (() => void)[] = [];
  let onStored = () => undefined as unknown;
  const engine = new DemoPlantEngine({
    ingest: {
      admit: () => undefined,
      readings: () => Promise.resolve(),
      history: () =>
        new Promise<void>((resolve) => {
          waiting.push(resolve);
          onStored();
        }),
    } as unknown as ConstructorParameters<typeof DemoPlantEngine>[0]["ingest"], // of which only these are used
    findDevice: (deviceId) => ({ deviceId, tenantId, revoked: false }) as unknown as IngestDevice,
    commands: {
      next: (_, __, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
      answered: () => true,
    },
    onRemembered: () => undefined,
    clock: new FakeClock(Date.UTC(2026, 5, 10, 12)),
    random: () => 0.5,
    log: createLogger(),
  });
  return {
    engine,
    /** Resolves when a piece of the history is on its way to the storage. */
    stored: () => new Promise<void>((resolve) => (onStored = () => resolve())),
    release() {
      for (const resolve of waiting.splice(0)) resolve();
    },
    waiting,
  };
}

test("a plant that is started anew waits for what its earlier run has in flight", async () => {
  const { engine, stored, release, waiting } = engineWithSlowStorage();
  const first = stored();
  await engine.run(plant);
  await first;
  let isRunning = false;
  const again = engine.run(plant).then(() => {
    isRunning = true;
  });
  let isEnded = false;
  const ended = engine.end(tenantId).then(() => {
    isEnded = true;
  });
  await Promise.resolve();
  expect([isRunning, isEnded, waiting.length]).toEqual([false, false, 1]);
  release();
  await Promise.all([again, ended]);
  expect([isRunning, isEnded]).toEqual([true, true]);
  await Promise.all([engine.stop(), release()]);
});

test("a plant that is started after the gateway stops does not run", async () => {
  const { engine, waiting } = engineWithSlowStorage();
  await engine.stop();
  await engine.run(plant);
  expect([waiting.length, engine.progressOf(tenantId)]).toEqual([0, 1]);
});
