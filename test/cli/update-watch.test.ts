import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWatcher } from "../../src/cli/update-trial.ts";
import { isAbandoned, untilTrialEnds } from "../../src/cli/update-watch.ts";
import { HUNG_SECONDS } from "../../src/modules/updates/update-start.ts";
import {
  readReason,
  readState,
  type UpdateState,
  writeHeartbeat,
  writeState,
} from "../../src/modules/updates/update-state.ts";
import { takeFileLock } from "../../src/platform/files/file-lock.ts";

/** What the watcher of a new version does when it stands still. */

const READY_MS = 10_000;
let data: string;
let version: Bun.Subprocess;

const state: UpdateState = {
  ...{ phase: "PROBATION", from: "0.1.0", to: "0.2.0", program: "/bin/old", next: "/bin/new", schemas: {} },
  ...{ readyWithinMs: READY_MS, probationMs: 300_000, actor: { kind: "system" } as never },
};

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "lineside-update-watch-"));
  version = Bun.spawn(["sleep", "600"]);
});
afterEach(() => {
  version.kill("SIGKILL");
  rmSync(data, { recursive: true, force: true });
});

/** Watches the process on a clock that runs by the watcher's own pauses; `each` is called in each of them. */
async function watch(each: (now: number) => void): Promise<{ hasEnded: boolean; seconds: number }> {
  let now = 0;
  const time = {
    monotonic: () => now,
    async sleep(ms: number) {
      now += ms;
      each(now);
      if (version.killed || version.signalCode !== null) await version.exited;
      else await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const hasEnded = await untilTrialEnds(data, { pid: version.pid, readyWithinMs: READY_MS }, time);
  return { hasEnded, seconds: now / 1_000 };
}

test("a version that hangs on probation is ended, and the next start rolls back", async () => {
  writeState(data, state);
  writeHeartbeat(data);
  const beatUntil = 100_000;
  const { hasEnded, seconds } = await watch((now) => {
    if (now < beatUntil) writeHeartbeat(data);
  });
  expect(hasEnded).toBe(true);
  await version.exited;
  expect(version.signalCode).toBe("SIGKILL");
  expect(seconds).toBeGreaterThan(beatUntil / 1_000 + HUNG_SECONDS - 1);
  expect(readReason(data)).toMatchObject({ code: "update.hung", params: { seconds: HUNG_SECONDS } });
  expect(readState(data)).toMatchObject({ phase: "PROBATION", crashes: 2 });
});

test("a version that beats stays until its probation ends", async () => {
  writeState(data, state);
  const { hasEnded } = await watch((now) => {
    writeHeartbeat(data);
    if (now > 3 * HUNG_SECONDS * 1_000) writeState(data, { ...state, phase: "PROVED" });
  });
  expect(hasEnded).toBe(false);
  expect(version.killed).toBe(false);
  expect(readReason(data)).toBeUndefined();
});

test("a version that is not ready in time is ended", async () => {
  writeState(data, { ...state, phase: "TRIAL" });
  const { hasEnded, seconds } = await watch(() => undefined);
  expect(hasEnded).toBe(true);
  expect(seconds).toBeGreaterThanOrEqual(READY_MS / 1_000);
  expect(readReason(data)).toMatchObject({ code: "update.not_ready", params: { seconds: READY_MS / 1_000 } });
});

test("a restart in the same process ends the watch, as it has a watcher of its own", async () => {
  writeState(data, state);
  const { hasEnded } = await watch((now) => {
    writeHeartbeat(data);
    if (now >= 1_000) writeState(data, { ...state, restarts: 1 });
    if (now >= 3_000) version.kill("SIGKILL");
  });
  expect(hasEnded).toBe(false);
});

/** Asks whether the ended version was abandoned; `each` is called in each pause of the watcher. */
function abandoned(each: (now: number) => void): Promise<boolean> {
  let now = 0;
  return isAbandoned(data, {
    monotonic: () => now,
    async sleep(ms: number) {
      now += ms;
      each(now);
    },
  });
}

test("a version that has crashed is started again although its lock is held for a while", async () => {
  writeState(data, state);
  const lock = takeFileLock(join(data, "lineside.lock"));
  expect(await abandoned((now) => now === 2_000 && lock?.release())).toBe(true);
});

test("a version that somebody else starts again is not started twice", async () => {
  writeState(data, state);
  expect(await abandoned((now) => now === 3_000 && writeState(data, { ...state, crashes: 1 }))).toBe(false);
});

test("a version that was stopped in order stays stopped", async () => {
  writeState(data, { ...state, isStopped: true });
  expect(await abandoned(() => undefined)).toBe(false);
});

test("a watcher that hangs at its start is killed and started once more, and the gateway goes on", () => {
  const [program, starts] = [join(data, "old"), join(data, "starts")];
  const write = (script: string) => {
    writeFileSync(program, `#!/bin/sh\necho x >> ${starts}\n${script}\n`);
    chmodSync(program, 0o700);
    writeFileSync(starts, "");
  };
  const count = () => readFileSync(starts, "utf8").split("\n").length - 1;
  write(`[ "$(wc -l < ${starts})" -gt 1 ] || exec sleep 600`);
  startWatcher(data, { program }, [], 500);
  expect(count()).toBe(2);
  write("exec sleep 600");
  startWatcher(data, { program }, [], 200);
  expect(count()).toBe(2);
  write("exit 0");
  startWatcher(data, { program }, [], 5_000);
  expect(count()).toBe(1);
});
