import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPreload } from "../bench/processes.ts";
import { until } from "../support/until.ts";
import { OWNER, send, signIn, start } from "./running-binary.ts";

/** The compiled program syncs its log on several threads when the disk is slow. */

const executable = join(import.meta.dir, "..", "..", "dist", `lineside-linux-${process.arch}`);
const SYNC_THREADS = 8;
const VALUES = 30;

test.if(Bun.which("cc") !== null)("syncs overlap on a slow disk, and every value is there", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-slow-"));
  const preload = buildPreload(directory, "slow-fsync") ?? "";
  const running = await start([executable], directory, { ...OWNER, LD_PRELOAD: preload });
  try {
    const threads = () => readdirSync(`/proc/${running.pid}/task`).length;
    const token = await signIn(running.url);
    const created = await send(running.url, "/api/devices", {
      token,
      body: { name: "press", deviceType: "sensor" },
    });
    const { deviceId, credentials } = created.body;
    const atStart = threads();
    for (let n = 0; n < VALUES; n++) {
      const body = { ts: 1_700_000_000_000 + n, values: { n } };
      const { status } = await send(running.url, `/api/v1/${credentials.token}/telemetry`, { body });
      expect(status).toBe(200);
    }
    await until(() => threads() >= atStart + SYNC_THREADS, "threads that sync");
    const path = `/api/devices/${deviceId}/telemetry/range?keys=n&from=1700000000000&to=1700000001000&aggregation=count&maxDataPoints=1`;
    const { body } = await send(running.url, path, { token });
    expect(body.data[0].series[0].points[0].value).toBe(VALUES);
  } finally {
    expect(await running.stop()).toBe(0);
    await rm(directory, { recursive: true, force: true });
  }
});
