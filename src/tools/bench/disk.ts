import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { createTelemetryStore } from "../../modules/telemetry/store/telemetry-store.ts";
import { systemClock } from "../../platform/clock.ts";
import { createLogger } from "../../platform/log.ts";
import {
  buildPreload,
  createDevices,
  remove,
  runLoad,
  startGateway,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const SLOW_LOAD = { connections: 100, qos: 1, topic: "v1/devices/me/telemetry" } as const;
/**
 * Messages that each connection keeps in flight. With 20 ms more a commit a rate cannot exceed what is in flight divided by the
 * time of a commit: 2,000 messages allow 100,000/s at the very most, 40,000 leave room.
 */
const SLOW_WINDOWS = [20, 100, 400] as const;
const TICK_MS = 10;
const KEYS = 3;

async function rateWith(
  preload: string | undefined,
  load: { readonly window: number; readonly seconds: number },
): Promise<number> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory, [], preload === undefined ? {} : { LD_PRELOAD: preload });
  try {
    const devices = await createDevices(await gateway.signIn(), SLOW_LOAD.connections);
    const users = devices.map(({ token }) => token);
    return (await runLoad({ ...SLOW_LOAD, ...load, port: gateway.mqttPort, users })).messagesPerSecond;
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

async function measureSlowDisk(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const library = buildPreload(directory, "slow-fsync");
  if (library === undefined) return [];
  const rows: Row[] = [];
  for (const window of SLOW_WINDOWS) {
    const fast = await rateWith(undefined, { window, seconds });
    const slow = await rateWith(library, { window, seconds });
    rows.push({
      section: "Disk",
      measure: `QoS 1, 100 connections, window ${window}, with 20 ms added to every fsync, messages/s`,
      value: thousands(slow),
      peer: `as it is: ${thousands(fast)}`,
      ratio: slow / fast,
      goal: "≥ 0.8 ×",
      met: slow / fast >= 0.8,
    });
  }
  remove(directory);
  return rows;
}

const bytesWritten = (): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? 0);

interface Wear {
  readonly name: string;
  readonly pointsPerSecond: number;
  readonly devices: number;
  readonly windowMs: number;
  readonly goal: number;
}

const wears: readonly Wear[] = [
  { name: "1,000 points/s, commits at once", pointsPerSecond: 1_000, devices: 100, windowMs: 0, goal: 150 },
  {
    name: "1,000 points/s, commit window of 1 s",
    pointsPerSecond: 1_000,
    devices: 100,
    windowMs: 1_000,
    goal: 20,
  },
  {
    name: "100,000 points/s, commits at once",
    pointsPerSecond: 100_000,
    devices: 1_000,
    windowMs: 0,
    goal: 20,
  },
];

/** Bytes that reach the disk for each point at a steady rate, sealing and closing included. */
async function measureWear(wear: Wear, seconds: number): Promise<Row> {
  const directory = temporaryDirectory();
  const store = createTelemetryStore({
    file: join(directory, "telemetry.db"),
    clock: systemClock,
    log: createLogger("bench"),
    groupCommitWindowMs: wear.windowMs,
  });
  await store.start();
  const handles = Array.from({ length: wear.devices }, (_, index) =>
    store.device("tenant" as TenantId, `device ${index}` as DeviceId),
  ); // any text is an id
  const before = bytesWritten();
  const startedAt = performance.now();
  let messages = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      for (const due = (elapsed / 1000) * (wear.pointsPerSecond / KEYS); messages < due; messages++) {
        const handle = handles[messages % handles.length];
        if (handle === undefined) break;
        const values = {
          temperature: 20 + (messages % 97) / 10,
          humidity: 40 + (messages % 53) / 10,
          power: 1000 + (messages % 211),
        };
        void store.append(handle, [{ ts: Date.now(), values }]);
      }
      if (elapsed < seconds * 1000) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await store.compact();
  await store.stop();
  const bytes = (bytesWritten() - before) / (messages * KEYS);
  remove(directory);
  return {
    section: "Disk",
    measure: `bytes written to the disk a point, ${wear.name}, sealed at the end`,
    value: fixed(bytes, 1),
    goal: `≤ ${wear.goal}`,
    met: bytes <= wear.goal,
  };
}

export async function benchDisk(seconds: number): Promise<Row[]> {
  const rows = await measureSlowDisk(seconds);
  for (const wear of wears) rows.push(await measureWear(wear, Math.max(seconds, 10)));
  return rows;
}
