import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KillLoad } from "./uplink-kill-load.ts";
import type { UplinkPeer } from "./uplink-peer.types.ts";
import { UplinkTrial, type UplinkTrialResult } from "./uplink-trial.ts";

const FIRST_TS = Date.UTC(2026, 0, 1);
const STEP_MS = 2_000;
const DAY_ROWS = 86_400_000 / STEP_MS;
const ROWS_PER_REQUEST = 600;
/** Parts of the day; in each the gateway is killed while values are written, and sealed after it. */
const PARTS = 3;
const KILL_MS_MAX = 400;
const LIVE_MS_MAX = 4_000;
const RETRY_MS = 20;
const FULL_ROUNDS = 3;
const FULL_MS = 8_000;
const RECOVERY_MS = 15_000;
const CHUNK_BYTES = 64 * 1024;
const TOP_UP_MS = 50;

/** Kills only the gateway while it sends live values, and seals nothing: what comes twice had been confirmed just before a kill. */
export async function runRestarts(peer: UplinkPeer, rounds: number): Promise<UplinkTrialResult> {
  const trial = await UplinkTrial.start(peer);
  const load = new KillLoad(trial.devices, { deletes: false, changes: false, late: false });
  for (let round = 0; round < rounds; round++) {
    const stop = await load.start(trial.gateway);
    await trial.sends();
    await Bun.sleep(Math.random() * LIVE_MS_MAX);
    await Promise.all([trial.killGateway(), stop()]);
  }
  return trial.finish(() => load.end(trial.gateway));
}

/** Cuts the line to the target, writes the values of a day while the gateway is killed again and again, and lets the target return. */
export async function runDayOutage(peer: UplinkPeer): Promise<UplinkTrialResult> {
  const trial = await UplinkTrial.start(peer);
  const load = new KillLoad(trial.devices, { deletes: false, changes: false, late: false });
  await load.end(trial.gateway);
  await trial.sends();
  await trial.killPeer();
  for (let part = 0; part < PARTS; part++) {
    const writing = Promise.all(trial.devices.map(({ token }) => writePart(trial, token, part)));
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    await trial.killGateway();
    await writing;
    trial.gateway.say("compact");
  }
  await peer.start();
  return trial.finish(() => load.end(trial.gateway));
}

async function writePart(trial: UplinkTrial, token: string, part: number): Promise<void> {
  const length = DAY_ROWS / PARTS;
  for (let row = part * length; row < (part + 1) * length; row += ROWS_PER_REQUEST) {
    const items = Array.from({ length: Math.min(ROWS_PER_REQUEST, (part + 1) * length - row) }, (_, index) =>
      dayRow(row + index),
    );
    await post(trial, `/api/v1/${token}/telemetry/batch`, { items });
  }
}

const dayRow = (row: number) => ({
  ts: FIRST_TS - 86_400_000 + row * STEP_MS,
  telemetry: { n: row + 0.5, s: `value ${row}`, b: row % 2 === 0 },
});

/** Sends it until the gateway, which may be gone for a while, has it. */
async function post(trial: UplinkTrial, path: string, body: unknown): Promise<void> {
  for (;;) {
    const response = await fetch(`${trial.gateway.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (response?.status === 200) return;
    await response?.arrayBuffer();
    await Bun.sleep(RETRY_MS);
  }
}

/** A small file system that can be full. Only root may mount one. */
export class SmallDisk {
  readonly path = join(tmpdir(), `lineside-small-disk-${process.pid}`);
  readonly #filler = join(this.path, "filler");
  #timer: Timer | undefined;

  constructor(megabytes: number) {
    mkdirSync(this.path, { recursive: true });
    const options = `size=${megabytes}m,mode=755`;
    const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", this.path]);
    if (exitCode !== 0) throw new Error("a file system cannot be mounted here");
  }

  /** Creates a server whose data is here. */
  async hold<Held>(create: () => Promise<Held>): Promise<Held> {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = this.path;
    try {
      return await create();
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  }

  /** Takes all space, including space that is freed meanwhile. */
  fill(): void {
    const top = () => {
      const descriptor = openSync(this.#filler, "a");
      try {
        while (statfsSync(this.path).bavail > 0) writeSync(descriptor, Buffer.alloc(CHUNK_BYTES));
      } catch {
        // It is full.
      } finally {
        closeSync(descriptor);
      }
    };
    top();
    this.#timer = setInterval(top, TOP_UP_MS);
  }

  free(): void {
    clearInterval(this.#timer);
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    Bun.spawnSync(["umount", "-l", this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Fills the disk of the target while values are written, kills the gateway meanwhile, and gives space again. */
export async function runFullDisk(
  peer: UplinkPeer,
  disk: SmallDisk,
): Promise<UplinkTrialResult & { readonly failures: number; readonly restarts: number }> {
  const trial = await UplinkTrial.start(peer);
  const load = new KillLoad(trial.devices, {
    deletes: peer.takesDeletions,
    changes: peer.takesChanges,
    late: true,
  });
  let [failures, restarts] = [0, 0];
  for (let round = 0; round < FULL_ROUNDS; round++) {
    let stop = await load.start(trial.gateway);
    await trial.sends();
    disk.fill();
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    trial.gateway.say("compact");
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    await stop();
    if (await trial.fails(FULL_MS)) failures++;
    stop = await load.start(trial.gateway);
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    await Promise.all([trial.killGateway(), stop()]);
    disk.free();
    // Some servers end when their disk is full: an operator starts them again.
    if (!(await trial.sends(RECOVERY_MS))) {
      restarts++;
      await peer.kill();
      await peer.start();
    }
  }
  const result = await trial.finish(() => load.end(trial.gateway));
  return { ...result, failures, restarts };
}

/** Fills the disk of the gateway while the target is away, so that what has to be sent later is sealed on a full disk. */
export async function runFullGateway(peer: UplinkPeer, disk: SmallDisk): Promise<UplinkTrialResult> {
  const trial = await disk.hold(() => UplinkTrial.start(peer));
  const load = new KillLoad(trial.devices, {
    deletes: peer.takesDeletions,
    changes: peer.takesChanges,
    late: true,
  });
  for (let round = 0; round < FULL_ROUNDS; round++) {
    const stop = await load.start(trial.gateway);
    await trial.sends();
    await trial.killPeer();
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    disk.fill();
    trial.gateway.say("compact");
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    await stop();
    trial.gateway.say("compact");
    // Batches of history arrive, and the store cannot take that down.
    await peer.start();
    await trial.sends(FULL_MS);
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    const isKilled = round % 2 === 0;
    if (isKilled) await trial.killGateway(() => disk.free());
    else disk.free();
  }
  return trial.finish(() => load.end(trial.gateway));
}
