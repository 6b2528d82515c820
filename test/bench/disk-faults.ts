import { closeSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../../src/cli/api-client.ts";
import { compare, type HttpSender, startHttpSender } from "./numbered-load.ts";
import {
  type BenchDevice,
  buildPreload,
  createDevices,
  type Gateway,
  remove,
  startGateway,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

/*
 * A disk that is full, again and again, and one whose fsync fails: what was acknowledged must be there afterwards, reading goes
 * on, and there is no acknowledgement that the disk did not earn.
 */

const DISK_BYTES = 128 * 1024 * 1024;
const SENDERS = 4;
const PAUSE_MS = 5;
const RECOVERY_MS_MAX = 10_000;
const WAIT_MS_MAX = 20_000;
const LOAD_MS = 300;

const run = (...command: string[]) =>
  Bun.spawnSync(command, { stdout: "ignore", stderr: "ignore" }).exitCode === 0;

/** A file system of its own in a file; undefined where this process may not mount one. */
function mountSmallDisk(directory: string): string | undefined {
  const image = join(directory, "disk.img");
  const mountPoint = join(directory, "disk");
  writeFileSync(image, "");
  truncateSync(image, DISK_BYTES);
  const isMounted =
    process.getuid?.() === 0 &&
    run("mkfs.ext4", "-q", "-m", "0", image) &&
    run("mkdir", mountPoint) &&
    run("mount", "-o", "loop", image, mountPoint);
  return isMounted ? mountPoint : undefined;
}

/** Takes what space there is, to the last block. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const bytes of [1 << 20, 1 << 12]) {
      const chunk = new Uint8Array(bytes);
      try {
        while (writeSync(file, chunk) === bytes);
      } catch {
        // Full: smaller pieces fill the rest.
      }
    }
  } finally {
    closeSync(file);
  }
}

async function until(condition: () => boolean): Promise<number> {
  const startedAt = performance.now();
  while (!condition()) {
    if (performance.now() - startedAt > WAIT_MS_MAX) return Number.POSITIVE_INFINITY;
    await Bun.sleep(2);
  }
  return performance.now() - startedAt;
}

interface Pair {
  readonly device: BenchDevice;
  readonly sender: HttpSender;
}

async function startSenders(gateway: Gateway, api: ApiClient, prefix: string): Promise<Pair[]> {
  const devices = await createDevices(api, SENDERS, prefix);
  return devices.map((device) => ({ device, sender: startHttpSender(gateway.url, device.token, PAUSE_MS) }));
}

async function compareAll(gateway: Gateway, pairs: readonly Pair[]) {
  const totals = { acknowledged: 0, lost: 0, doubled: 0 };
  for (const { device, sender } of pairs) {
    const result = await compare(gateway, device, sender);
    totals.acknowledged += result.acknowledged;
    totals.lost += result.lost;
    totals.doubled += result.doubled;
  }
  return totals;
}

async function measureFullDisk(rounds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const disk = mountSmallDisk(directory);
  if (disk === undefined) {
    remove(directory);
    return [];
  }
  let gateway = await startGateway(disk);
  try {
    const api = await gateway.signIn();
    const pairs = await startSenders(gateway, api, "full disk");
    const refused = () => pairs.reduce((total, { sender }) => total + sender.refused, 0);
    const recoveries: number[] = [];
    let readsFailed = 0;
    for (let round = 0; round < rounds; round++) {
      await Bun.sleep(LOAD_MS);
      const before = refused();
      fill(join(disk, "filler"));
      await until(() => refused() >= before + 2 * SENDERS);
      for (const { device } of pairs) {
        const range = `/api/devices/${device.deviceId}/telemetry/range?from=0&to=1900000000000&keys=sequence&aggregation=count`;
        await api.get(range).catch(() => readsFailed++);
      }
      rmSync(join(disk, "filler"));
      const freedAt = performance.now();
      await until(() => pairs.every(({ sender }) => sender.lastMs > freedAt));
      recoveries.push(Math.max(...pairs.map(({ sender }) => sender.lastMs)) - freedAt);
    }
    for (const { sender } of pairs) sender.close();
    await gateway.kill("SIGKILL");
    gateway = await startGateway(disk);
    const { acknowledged, lost, doubled } = await compareAll(gateway, pairs);
    const slowest = Math.max(...recoveries);
    return [
      {
        section: "Faults",
        measure: `a file system of ${DISK_BYTES >> 20} MB filled to the last block under HTTP load, ${rounds} times, then SIGKILL`,
        value: `${thousands(acknowledged)} acknowledged, ${lost} lost, ${doubled} duplicated; ${readsFailed} reads failed meanwhile; data is taken again after ${fixed(slowest / 1_000, 1)} s at most`,
        goal: "0 lost, reads stay up, ≤ 10 s",
        met: lost === 0 && doubled === 0 && readsFailed === 0 && slowest <= RECOVERY_MS_MAX,
      },
    ];
  } finally {
    await gateway.kill("SIGKILL");
    run("umount", "-l", disk);
    remove(directory);
  }
}

async function measureFailingSync(rounds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const library = buildPreload(directory, "failing-fsync");
  if (library === undefined) return [];
  const trigger = join(directory, "fails");
  const environment = { LD_PRELOAD: library, FSYNC_FAILS: trigger };
  const data = join(directory, "data");
  const totals = { acknowledged: 0, lost: 0, doubled: 0, late: 0 };
  for (let round = 0; round < rounds; round++) {
    const gateway = await startGateway(data, [], environment);
    const pairs = await startSenders(gateway, await gateway.signIn(), `round ${round}`);
    await Bun.sleep(LOAD_MS);
    writeFileSync(trigger, "");
    await until(() => pairs.every(({ sender }) => sender.refused > 0));
    const acknowledged = () => pairs.reduce((total, { sender }) => total + sender.acknowledged.size, 0);
    const before = acknowledged();
    await Bun.sleep(LOAD_MS);
    totals.late += acknowledged() - before; // nothing syncs: whatever is acknowledged now is a lie
    for (const { sender } of pairs) sender.close();
    await gateway.kill("SIGKILL");
    rmSync(trigger);
    const next = await startGateway(data, [], environment);
    const result = await compareAll(next, pairs);
    totals.acknowledged += result.acknowledged;
    totals.lost += result.lost;
    totals.doubled += result.doubled;
    await next.kill("SIGTERM");
  }
  remove(directory);
  return [
    {
      section: "Faults",
      measure: `fsync that fails with EIO under HTTP load, then SIGKILL, ${rounds} rounds`,
      value: `${thousands(totals.acknowledged)} acknowledged, ${totals.lost} lost, ${totals.doubled} duplicated, ${totals.late} acknowledged while it failed`,
      goal: "0 lost",
      met: totals.lost === 0 && totals.doubled === 0 && totals.late === 0,
    },
  ];
}

export async function benchDiskFaults(rounds: number): Promise<Row[]> {
  return [...(await measureFullDisk(rounds)), ...(await measureFailingSync(Math.ceil(rounds / 10)))];
}
