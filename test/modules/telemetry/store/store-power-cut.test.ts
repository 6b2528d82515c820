import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exploration, Findings } from "../../../bench/power-cut-explorer.ts";
import { Disk, Expectation, variants } from "../../../bench/power-cut-state.ts";
import { record } from "../../../bench/power-cuts.ts";
import { buildPreload } from "../../../bench/processes.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-power-cut-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const run = { seed: 4, steps: 500, shard: 0, shards: 1 };
let recorded: string | undefined;
function log(): string {
  recorded ??= record(directory, buildPreload(directory, "write-recorder") ?? "", run);
  return recorded;
}
const explorer = join(import.meta.dir, "../../../bench/power-cut-explorer.ts");

/** Runs in a separate process, so that a store that loops endlessly in a damaged file fails the test instead of hanging it. */
function explore(exploration: Exploration): Findings {
  const { stdout } = Bun.spawnSync([process.execPath, explorer, JSON.stringify(exploration)], {
    stderr: "inherit",
    timeout: 240_000,
  });
  return JSON.parse(stdout.toString());
}

const withCompiler = test.if(Bun.which("cc") !== null);

withCompiler("after a power cut at any moment all that was acknowledged is there, and nothing else", () => {
  const found = explore({ ...run, log: log(), states: 300, withoutSyncs: false });
  expect(found).toEqual({ states: 300, corrupt: 0, lost: 0, invented: 0, examples: [] });
});

withCompiler("the same exploration finds the faults of a disk that is never asked to keep anything", () => {
  const { corrupt, lost } = explore({ ...run, log: log(), states: 100, withoutSyncs: true });
  expect(corrupt + lost).toBeGreaterThan(20);
});

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (images: Uint8Array[]) => new TextDecoder().decode(images[0]);

test("what was synced stays in every state, what was not is there in some and missing in others", () => {
  const disk = new Disk();
  disk.apply({ kind: "write", file: 0, offset: 0, data: bytes("kept") });
  disk.apply({ kind: "sync", file: 0 });
  disk.apply({ kind: "write", file: 0, offset: 4_096, data: bytes("perhaps") });
  for (const variant of variants)
    for (let seed = 0; seed < 20; seed++) expect(text(disk.after(variant, seed))).toStartWith("kept");
  expect(text(disk.after("none", 0))).toBe("kept");
  expect(text(disk.after("all", 0))).toEndWith("perhaps");
  const inParts = new Set(Array.from({ length: 20 }, (_, seed) => text(disk.after("pages", seed)).length));
  expect(inParts).toEqual(new Set([4, 4_096 + 7]));
});

test("pages reach the disk in any order, and a write torn in order ends at a sector", () => {
  const disk = new Disk();
  disk.apply({ kind: "write", file: 0, offset: 0, data: bytes("a".repeat(4_096)) });
  disk.apply({ kind: "write", file: 0, offset: 4_096, data: bytes("b".repeat(4_096)) });
  const states = Array.from({ length: 60 }, (_, seed) => text(disk.after("pages", seed)));
  expect(states.some((state) => state.includes("b") && !state.includes("a"))).toBe(true);
  const sizes = new Set(Array.from({ length: 60 }, (_, seed) => text(disk.after("order", seed)).length));
  expect([...sizes].every((size) => size % 512 === 0)).toBe(true);
  expect(sizes.size).toBeGreaterThan(5);
});

test("a file cut short and written again holds nothing of before", () => {
  const disk = new Disk();
  disk.apply({ kind: "write", file: 1, offset: 0, data: bytes("before") });
  disk.apply({ kind: "truncate", file: 1, offset: 1 });
  disk.apply({ kind: "write", file: 1, offset: 3, data: bytes("x") });
  disk.apply({ kind: "sync", file: 1 });
  expect(disk.after("none", 0)[1]).toEqual(new Uint8Array([98, 0, 0, 120]));
});

test("a deletion may show once it is sent and must once it is acknowledged", () => {
  const readings = [1, 2, 3].map((ts) => ({ ts, values: {} }));
  const expectation = new Expectation([
    { kind: "append", device: "d", readings },
    { kind: "delete", device: "d", from: 2, to: 3 },
  ]);
  const sets = () => [expectation.certain, expectation.possible].map((of) => [...(of.get("d") ?? [])]);
  expectation.take(0);
  expect(sets()).toEqual([[], [1, 2, 3]]);
  expectation.take(1);
  expect(sets()).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expectation.take(2);
  expect(sets()).toEqual([[1], [1, 2, 3]]);
  expectation.take(3);
  expect(sets()).toEqual([[1], [1]]);
});
