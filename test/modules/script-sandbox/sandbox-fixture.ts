import { afterAll, beforeAll } from "bun:test";
import { ScriptFailure } from "../../../src/modules/script-sandbox/script-sandbox.errors.ts";
import { ScriptSandbox } from "../../../src/modules/script-sandbox/script-sandbox.ts";
import type { ScriptFrame } from "../../../src/modules/script-sandbox/script-sandbox.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { ownProgram } from "../../../src/platform/process/own-program.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";

export const openSandbox = (options: { clock?: Clock; command?: readonly string[] } = {}) => {
  const sandbox = new ScriptSandbox({
    command: options.command ?? [...ownProgram(), "script-host"],
    clock: options.clock ?? systemClock,
    log: createLogger("scripts"),
  });
  sandbox.start();
  return sandbox;
};

export const frameOf = (...bytes: number[]) => ({
  bytes: Uint8Array.from(bytes),
  fPort: 7,
  recvTime: Date.parse("2026-03-01T12:00:00Z"),
});

/** A script that does as it should, with what it gives for `{ a: 1 }`. */
export const good = {
  tenantId: "t",
  source: "function transform(message) { return { b: message.a + 1 }; }",
  message: { a: 1 },
  metadata: {},
  value: { b: 2 },
} as const;

/** The sandbox of the test file, while its tests run. */
export let sandbox: ReturnType<typeof openSandbox>;

export const run = (source: string, options: { frame?: ScriptFrame; message?: never; key?: string } = {}) =>
  sandbox.run({
    source,
    tenantId: "t",
    key: options.key ?? source,
    message: { a: 1 },
    metadata: { topic: "t" },
    ...options,
  });

export async function failureOf(promise: Promise<unknown>): Promise<ScriptFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ScriptFailure) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

export const returnOf = async (source: string, frame?: ScriptFrame) =>
  (await run(source, frame ? { frame } : {})).value as unknown;

/** Opens the sandbox for the tests of a file. */
export function useSandbox(): void {
  beforeAll(() => {
    sandbox = openSandbox();
  });
  afterAll(() => sandbox.stop());
}
