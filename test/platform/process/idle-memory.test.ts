// When memory is given back: while nothing happens, and not while there is work.
import { expect, test } from "bun:test";
import { createLogger } from "../../../src/platform/core/log.ts";
import { IdleMemory } from "../../../src/platform/process/idle-memory.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const HEAP_BYTES = 20 << 20;

/** An idle process; `actions` has what it gave back. */
function createProcess({ heapBytes = HEAP_BYTES, releaseProgram = (): void => undefined } = {}) {
  const clock = new FakeClock();
  const actions: string[] = [];
  const process = { processorMs: 0 };
  const memory = new IdleMemory({
    clock,
    log: createLogger("test"),
    memory: {
      processorMs: () => process.processorMs,
      heapBytes: () => heapBytes,
      shrinkHeap: () => void actions.push("heap"),
      releaseProgram() {
        actions.push("program");
        releaseProgram();
      },
    },
  });
  memory.start();
  /** Lets time pass with a load, in steps. */
  const pass = (ms: number, share: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      process.processorMs += 100 * share;
      clock.advance(100);
    }
  };
  return { memory, actions, pass };
}

const isLinux = process.platform === "linux";

test.if(isLinux)("gives memory back within a second of the start", () => {
  const { actions, pass } = createProcess();
  pass(1_000, 0.01);
  expect(actions).toEqual(["heap", "program"]);
});

test.if(isLinux)("waits while the gateway works", () => {
  const { actions, pass } = createProcess();
  pass(14_000, 0.5);
  expect(actions).toEqual([]);
  pass(1_500, 0.01);
  expect(actions).toEqual(["heap", "program"]);
});

test.if(isLinux)("gives the program alone back where the gateway is never idle", () => {
  const { actions, pass } = createProcess();
  pass(500_000, 0.5);
  expect(actions).toEqual(["program"]);
  pass(200_000, 0.5);
  expect(actions).toEqual(["program", "program"]);
});

test.if(isLinux)("frees the heap again after work, and not without", () => {
  const { actions, pass } = createProcess();
  pass(50_000, 0.02);
  expect(actions).toEqual(["heap", "program"]);
  pass(12_000, 0.5);
  expect(actions).toHaveLength(2);
  pass(10_000, 0.001);
  expect(actions).toEqual(["heap", "program", "heap", "program"]);
});

test.if(isLinux)("gives the program back every minute while it is idle", () => {
  const { actions, pass } = createProcess();
  pass(190_000, 0.001);
  expect(actions).toEqual(["heap", "program", "program", "program", "program"]);
});

test.if(isLinux)("does not collect a large heap, which would hold the event loop", () => {
  const { actions, pass } = createProcess({ heapBytes: 100 << 20 });
  pass(1_000, 0.01);
  expect(actions).toEqual(["program"]);
});

test.if(isLinux)("does nothing more where the system does not allow it", () => {
  const { actions, pass } = createProcess({
    releaseProgram() {
      throw new Error("EACCES");
    },
  });
  pass(60_000, 0.001);
  pass(700_000, 0.5);
  pass(60_000, 0.001);
  expect(actions).toEqual(["heap", "program"]);
});

test.if(isLinux)("does nothing after its stop", () => {
  const { memory, actions, pass } = createProcess();
  memory.stop();
  pass(60_000, 0.001);
  expect(actions).toEqual([]);
});
