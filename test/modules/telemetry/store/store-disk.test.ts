import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPreload } from "../../../bench/processes.ts";
import { until } from "../../../support/until.ts";
import { StoreFixture } from "./store-fixture.ts";

const child = join(import.meta.dir, "disk-child.ts");
const run = (...command: string[]) => Bun.spawnSync(command).exitCode === 0;

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "lineside-disk-"));
  cleanUps.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A file system of 3 MiB; null where this process may not mount one. */
function smallDisk(): string | null {
  const directory = temporaryDirectory();
  if (process.getuid?.() !== 0 || !run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", directory))
    return null;
  cleanUps.push(() => run("umount", "-l", directory));
  return directory;
}

/** Whether an acknowledgement came for a timestamp, in order, and the codes of refusals. */
class Appender {
  readonly acknowledged: number[] = [];
  readonly refusals: { code: string; readable: number; acknowledgedBefore: number }[] = [];
  readonly #process;
  readonly #finished: Promise<void>;

  constructor(file: string, environment: Record<string, string> = {}) {
    this.#process = Bun.spawn([process.execPath, child, file], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
      env: { ...process.env, ...environment },
    });
    this.#finished = this.#read();
  }

  async stop(): Promise<void> {
    this.#process.stdin.write("stop\n");
    this.#process.stdin.end();
    await this.#finished;
    await this.#process.exited;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of this.#process.stdout) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line.split(" "));
    }
  }

  #take([kind, ts, code = "", readable]: string[]): void {
    if (kind === "ok") this.acknowledged.push(Number(ts));
    else if (kind === "refused")
      this.refusals.push({ code, readable: Number(readable), acknowledgedBefore: this.acknowledged.length });
  }
}

async function stampsIn(file: string): Promise<number[]> {
  const fixture = new StoreFixture({}, file);
  try {
    await fixture.store.start();
    expect((await fixture.store.check()).problems).toEqual([]);
    return (await fixture.points("d", "n")).map(([ts]) => ts);
  } finally {
    await fixture.dispose();
  }
}

/** A developer's machine may lack what a test needs; in CI that is a failure, not a pass. */
function unavailable(reason: string): void {
  if (process.env.CI) throw new Error(`cannot run: ${reason}`);
  console.warn(`not run: ${reason}`);
}

test("a full disk refuses what does not fit, reads go on, and writes do again once there is space", async () => {
  const directory = smallDisk();
  if (directory === null) {
    unavailable("only root may mount the small disk that this test fills");
    return;
  }
  const ballast = join(directory, "ballast");
  writeFileSync(ballast, new Uint8Array(1024 * 1024));
  const file = join(directory, "telemetry.db");
  const appender = new Appender(file);
  await until(() => appender.refusals.length >= 5);
  for (const { code, readable, acknowledgedBefore } of appender.refusals) {
    expect(code).toBe("telemetry.disk_full");
    expect(readable).toBe(acknowledgedBefore);
  }
  const before = appender.acknowledged.length;
  rmSync(ballast);
  await until(() => appender.acknowledged.length > before + 20);
  await appender.stop();
  const stamps = new Set(await stampsIn(file));
  expect(appender.acknowledged.filter((ts) => !stamps.has(ts))).toEqual([]);
});

test("after a failed fsync nothing more is acknowledged, though the disk works again; a restart has all that was", async () => {
  const directory = temporaryDirectory();
  const library = buildPreload(directory, "failing-fsync");
  if (library === undefined) {
    unavailable("there is no C compiler to make a failing fsync with");
    return;
  }
  const trigger = join(directory, "fails");
  const file = join(directory, "telemetry.db");
  const appender = new Appender(file, { LD_PRELOAD: library, FSYNC_FAILS: trigger });
  await until(() => appender.acknowledged.length >= 50);
  writeFileSync(trigger, "");
  await until(() => appender.refusals.length >= 3);
  rmSync(trigger);
  const before = appender.refusals.length;
  await until(() => appender.refusals.length >= before + 20);
  expect(appender.refusals.map(({ code }) => code)).toEqual(appender.refusals.map(() => "telemetry.broken"));
  expect(new Set(appender.refusals.map(({ acknowledgedBefore }) => acknowledgedBefore)).size).toBe(1);
  await appender.stop();
  const stamps = new Set(await stampsIn(file));
  expect(appender.acknowledged.filter((ts) => !stamps.has(ts))).toEqual([]);
});
