import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPreload } from "../../../bench/processes.ts";
import { StoreFixture } from "./store-fixture.ts";

const child = join(import.meta.dir, "kill-child.ts");

interface Run {
  readonly file: string;
  /** Sequence number to begin with. */
  readonly first: number;
  readonly afterLines: number;
  /** A library that is preloaded. */
  readonly preload: string;
}

/** Lets a child append for a while, kills it, and returns the sequence numbers up to which it saw acknowledgements. */
async function runAndKill({ file, first, afterLines, preload }: Run): Promise<number> {
  const process_ = Bun.spawn([process.execPath, child, file, String(first)], {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, LD_PRELOAD: preload },
  });
  const decoder = new TextDecoder();
  let text = "";
  let killed = false;
  for await (const chunk of process_.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (!killed && text.split("\n").length > afterLines) {
      process_.kill("SIGKILL");
      killed = true;
    }
  }
  await process_.exited;
  const lines = text.split("\n").slice(0, -1);
  const last: [number, number] | undefined = lines.length === 0 ? undefined : JSON.parse(lines.at(-1) ?? "");
  return last?.[1] ?? first;
}

/** Kills a child again and again; between two kills everything that it saw acknowledged must be there once. */
async function expectNothingLost(lines: readonly number[], preload = ""): Promise<number> {
  const fixture = new StoreFixture();
  let acknowledged = 0;
  try {
    for (const afterLines of lines) {
      acknowledged = await runAndKill({ file: fixture.file, first: acknowledged, afterLines, preload });
      await fixture.store.start();
      const seen = new Set<number>();
      for (const device of ["k0", "k1", "k2"]) {
        for (const [ts, value] of await fixture.points(device, "n")) {
          expect(value).toBe(ts);
          expect(seen.has(ts)).toBe(false);
          seen.add(ts);
        }
        for (const [ts, value] of await fixture.points(device, "text")) expect(value).toBe(`s${ts}`);
      }
      for (let sequence = 0; sequence < acknowledged; sequence++) expect(seen.has(sequence)).toBe(true);
      expect((await fixture.store.stats()).corruptBlocks).toEqual([]);
      await fixture.restart();
      await fixture.store.stop();
    }
    return acknowledged;
  } finally {
    await fixture.dispose();
  }
}

test("every point acknowledged before a SIGKILL is there once, with its value", async () => {
  expect(await expectNothingLost([1, 60, 250, 400])).toBeGreaterThan(1_000);
});

test.if(Bun.which("cc") !== null)("the same holds on a slow disk, where syncs overlap", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lineside-slow-"));
  const preload = buildPreload(directory, "slow-fsync");
  expect(await expectNothingLost([20, 60, 150], preload)).toBeGreaterThan(500);
  rmSync(directory, { recursive: true, force: true });
});
