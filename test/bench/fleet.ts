import { join } from "node:path";
import type { ApiClient } from "../../src/cli/api-client.ts";
import type { FleetConnected } from "./fleet-clients.ts";
import {
  anonymousMb,
  type BenchDevice,
  remove,
  startAedes,
  startGateway,
  startMosquitto,
  temporaryDirectory,
  untilIdle,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const DEVICES = 10_000;
const SETTLE_MS = 5_000;
/** Requests for commands in progress at once. */
const COMMANDS_AT_ONCE = 64;
const KB_PER_MB = 1_024;

interface Fleet {
  readonly connectedMs: number;
  end(): Promise<void>;
}

/** Connections of a process of their own, all of them there when it resolves. */
async function connectFleet(port: number, usersFile: string, mode: "" | "commands"): Promise<Fleet> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "fleet-clients.ts"),
      String(port),
      usersFile,
      String(DEVICES),
      mode,
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  void child.stdout.pipeTo(new WritableStream());
  const { connectedMs } = JSON.parse(new TextDecoder().decode(value)) as FleetConnected; // its own line
  return {
    connectedMs,
    async end() {
      child.kill();
      await child.exited;
    },
  };
}

interface Held {
  readonly perSecond: number;
  readonly kbEach: number;
}

async function hold(server: { pid: number; port: number }, usersFile: string): Promise<Held> {
  // A sign-in takes memory for the hash of a password, which would be counted as that of connections that use it again.
  await untilIdle(server.pid);
  const before = anonymousMb(server.pid);
  const fleet = await connectFleet(server.port, usersFile, "");
  await Bun.sleep(SETTLE_MS);
  const kbEach = ((anonymousMb(server.pid) - before) * KB_PER_MB) / DEVICES;
  await fleet.end();
  return { perSecond: (DEVICES / fleet.connectedMs) * 1000, kbEach };
}

async function holdPeer(
  start: () => Promise<{ pid: number; port: number; stop(): Promise<void> } | undefined>,
): Promise<Held | undefined> {
  const peer = await start();
  if (peer === undefined) return undefined;
  const held = await hold(peer, "-");
  await peer.stop();
  return held;
}

async function importDevices(api: ApiClient): Promise<BenchDevice[]> {
  const rows = Array.from({ length: DEVICES }, (_, index) => ({
    name: `fleet ${index}`,
    deviceType: "fleet",
  }));
  const response = await api.post<{ rows: Array<{ deviceId: string; deviceToken: string }> }>(
    "/api/devices/bulk/import",
    { rows },
  );
  return response.rows.map(({ deviceId, deviceToken }) => ({ deviceId, token: deviceToken }));
}

/** One command to each device, each request answered when its device has: seconds for all, and for one of them. */
async function command(api: ApiClient, devices: readonly BenchDevice[]) {
  const times: number[] = [];
  let successful = 0;
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: COMMANDS_AT_ONCE }, async () => {
      for (let device = devices[next++]; device !== undefined; device = devices[next++]) {
        const sentAt = performance.now();
        const { status } = await api.post<{ status: string }>(
          `/api/devices/${device.deviceId}/commands?wait=30000`,
          { method: "ping" },
        );
        times.push(performance.now() - sentAt);
        if (status === "SUCCESSFUL") successful++;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  const p99Ms = times[Math.floor(times.length * 0.99)] ?? 0;
  return { seconds, p99Ms, successful };
}

/** One request that has every device of a type sent a command: seconds until the run has finished, and how it went. */
async function commandType(api: ApiClient): Promise<{ seconds: number; status: string }> {
  const { jobId } = await api.post<{ jobId: string }>("/api/scheduler", {
    name: "tell the fleet",
    schedule: { kind: "interval", everyMs: 86_400_000, timezone: "UTC" },
    action: { type: "command", deviceType: "fleet", command: { method: "ping" } },
  });
  const startedAt = performance.now();
  const { runId } = await api.post<{ runId: string }>(`/api/scheduler/${jobId}/run`, {});
  for (;;) {
    const { status } = await api.get<{ status: string }>(`/api/scheduler/${jobId}/runs/${runId}`);
    if (status !== "RUNNING") return { seconds: (performance.now() - startedAt) / 1000, status };
    await Bun.sleep(20);
  }
}

/** Ten thousand devices that hold a connection each: what one costs, how fast they come back, how fast all are told something. */
export async function benchFleet(): Promise<Row[]> {
  const directory = temporaryDirectory();
  const creator = await startGateway(directory);
  const devices = await importDevices(await creator.signIn());
  await creator.kill("SIGTERM");
  // One that has just started: what making the devices left behind would hide what they cost.
  const gateway = await startGateway(directory);
  try {
    const api = await gateway.signIn();
    const usersFile = join(directory, "users");
    await Bun.write(usersFile, devices.map(({ token }) => token).join(","));
    const own = await hold({ pid: gateway.pid, port: gateway.mqttPort }, usersFile);
    const mosquitto = await holdPeer(startMosquitto);
    const aedes = await holdPeer(startAedes);
    const fleet = await connectFleet(gateway.mqttPort, usersFile, "commands");
    const notified = await command(api, devices);
    const typeCommanded = await commandType(api);
    await fleet.end();
    const peers = (of: (held: Held) => string) =>
      [mosquitto && `Mosquitto ${of(mosquitto)}`, aedes && `bare Aedes ${of(aedes)}`]
        .filter(Boolean)
        .join(", ");
    const count = thousands(DEVICES);
    return [
      {
        section: "Fleet",
        measure: `memory per idle connection, pages of the program not counted, ${count} devices signed in by token`,
        value: `${fixed(own.kbEach, 1)} KB`,
        peer: peers(({ kbEach }) => `${fixed(kbEach, 1)} KB`),
        goal: "≤ 3 KB",
        met: own.kbEach <= 3,
      },
      {
        section: "Fleet",
        measure: `sign-ins a second, ${count} devices that come back at once`,
        value: `${thousands(own.perSecond)}/s`,
        peer: peers(({ perSecond }) => `${thousands(perSecond)}/s`),
        goal: "≥ 8,000/s",
        met: own.perSecond >= 8_000,
      },
      {
        section: "Fleet",
        measure: `a command to each of ${count} connected devices, kept, delivered and answered, ${COMMANDS_AT_ONCE} requests at once`,
        value: `${fixed(notified.seconds, 1)} s, ${thousands(notified.successful / notified.seconds)} a second; one takes ${fixed(notified.p99Ms, 0)} ms at p99; ${thousands(notified.successful)} answered`,
        goal: "all answered, ≥ 5,000/s",
        met: notified.successful === DEVICES && notified.successful / notified.seconds >= 5_000,
      },
      {
        section: "Fleet",
        measure: `the same by one request: a job for all ${count} devices of a type, run now`,
        value: `${fixed(typeCommanded.seconds, 1)} s, ${typeCommanded.status}`,
        goal: "all sent",
        met: typeCommanded.status === "SUCCESS",
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}
