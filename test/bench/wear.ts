import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import { createTelemetryStore } from "../../src/modules/telemetry/store/telemetry-store.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import { createDevices, remove, runLoad, startGateway, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

/*
 * What wears a flash disk out: the bytes that the kernel is given to write for each point, over so long that sealing and
 * checkpoints take part as they do for years. The time between two commits is left out: each holds what arrives in it.
 */

const KEYS = 3;
/** A log that is checkpointed at a quiet moment is this many times shorter than one that has to wait for none. */
const IDLE_WAL_BYTES = 2 * 1024 * 1024;

interface Wear {
  readonly name: string;
  readonly messagesPerCommit: number;
  readonly commits: number;
  /** Between commits that far apart there is time to checkpoint the log. */
  readonly windowMs: number;
  readonly goal: number;
}

const wears: readonly Wear[] = [
  {
    name: "one message of 3 points per commit",
    messagesPerCommit: 1,
    commits: 210_000,
    windowMs: 0,
    goal: 150,
  },
  {
    name: "333 messages of 3 points per commit, as with a commit window of 1 s at 1,000 points/s",
    messagesPerCommit: 333,
    commits: 9_000,
    windowMs: 1,
    goal: 15,
  },
];
const DEVICES = 100;

const FAST_POINTS_PER_SECOND = 100_000;
const FAST_CONNECTIONS = 1_000;
const FAST_GOAL = 15;

const bytesWritten = (pid: number | "self"): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);

const valuesAt = (message: number) => ({
  temperature: 20 + (message % 97) / 10,
  humidity: 40 + (message % 53) / 10,
  power: 1000 + (message % 211),
});

async function measureWear(wear: Wear): Promise<Row> {
  const directory = temporaryDirectory();
  const store = createTelemetryStore({
    file: join(directory, "telemetry.db"),
    clock: systemClock,
    log: createLogger("bench"),
    groupCommitWindowMs: wear.windowMs,
    ...(wear.windowMs > 0 && { walBytesMax: IDLE_WAL_BYTES }),
  });
  await store.start();
  const handles = Array.from({ length: DEVICES }, (_, index) =>
    store.device("tenant" as TenantId, `device ${index}` as DeviceId),
  ); // any text is an id
  const before = bytesWritten("self");
  let message = 0;
  for (let commit = 0; commit < wear.commits; commit++) {
    let stored: Promise<unknown> = Promise.resolve();
    for (const end = message + wear.messagesPerCommit; message < end; message++) {
      const handle = handles[message % handles.length];
      if (handle !== undefined)
        stored = store.append(handle, [{ ts: 1_700_000_000_000 + message, values: valuesAt(message) }])!;
    }
    await stored;
  }
  const { points, hotPoints } = await store.stats();
  const bytes = (bytesWritten("self") - before) / (message * KEYS);
  await store.stop();
  remove(directory);
  if (points !== message * KEYS || hotPoints === points)
    throw new Error(`of ${points} points ${hotPoints} are not sealed: that is no steady state`);
  return {
    section: "Disk",
    measure: `bytes written to the disk per point, ${wear.name} (${thousands(points)} points)`,
    value: fixed(bytes, 1),
    goal: `≤ ${wear.goal}`,
    met: bytes <= wear.goal,
  };
}

/** The whole gateway under MQTT QoS 1 from many devices that send evenly; groups form as they do. */
async function measureFastWear(seconds: number): Promise<Row> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  try {
    const devices = await createDevices(await gateway.signIn(), FAST_CONNECTIONS);
    const before = bytesWritten(gateway.pid);
    const { messagesPerSecond } = await runLoad({
      port: gateway.mqttPort,
      users: devices.map(({ token }) => token),
      connections: FAST_CONNECTIONS,
      window: 20,
      qos: 1,
      topic: "v1/devices/me/telemetry",
      rate: FAST_POINTS_PER_SECOND / KEYS,
      seconds,
    });
    const bytes = (bytesWritten(gateway.pid) - before) / (messagesPerSecond * KEYS * seconds);
    return {
      section: "Disk",
      measure: `bytes written to the disk per point, ${thousands(messagesPerSecond * KEYS)} points/s by MQTT QoS 1 for ${seconds} s, committed at once, the whole gateway`,
      value: fixed(bytes, 1),
      goal: `≤ ${FAST_GOAL}`,
      met: bytes <= FAST_GOAL,
    };
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

export async function benchWear(fastSeconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const wear of wears) rows.push(await measureWear(wear));
  return [...rows, await measureFastWear(fastSeconds)];
}
