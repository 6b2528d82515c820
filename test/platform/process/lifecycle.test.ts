import { expect, test } from "bun:test";
import { createLogger } from "../../../src/platform/core/log.ts";
import { createLifecycle, type Part } from "../../../src/platform/process/lifecycle.ts";

/** Three parts that note what they do; the first and the last are open from their creation. */
function createParts(failing?: string) {
  const steps: string[] = [];
  const partOf = (name: string, isOpen?: true): Part => ({
    name,
    ...(isOpen && { isOpen }),
    start() {
      if (name === failing) throw new Error("refused");
      steps.push(`start ${name}`);
    },
    stop() {
      steps.push(`stop ${name}`);
    },
  });
  const parts = [partOf("database", true), partOf("server"), partOf("store", true)];
  return { steps, lifecycle: createLifecycle(parts, createLogger("test")) };
}

test("parts stop in the reverse order of their start, once", async () => {
  const { steps, lifecycle } = createParts();
  await lifecycle.start();
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  expect(steps.slice(0, 3)).toEqual(["start database", "start server", "start store"]);
  expect(steps.slice(3)).toEqual(["stop store", "stop server", "stop database"]);
});

test("parts that are open are stopped without a start", async () => {
  const { steps, lifecycle } = createParts();
  await lifecycle.stop();
  expect(steps).toEqual(["stop store", "stop database"]);
});

test("a start that fails stops what had started and what was open", async () => {
  const { steps, lifecycle } = createParts("server");
  await expect(lifecycle.start()).rejects.toThrow("refused");
  expect(steps).toEqual(["start database", "stop store", "stop database"]);
});
