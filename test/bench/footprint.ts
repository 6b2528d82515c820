import { createApp } from "../../src/app.ts";
import { connectApi } from "../../src/cli/api-client.ts";
import { defaultConfig } from "../../src/platform/config/config.ts";
import {
  cpuSeconds,
  createDevices,
  remove,
  residentMb,
  runLoad,
  startGateway,
  temporaryDirectory,
  untilIdle,
} from "./processes.ts";
import { fixed, type Row } from "./report.ts";

const STARTS = 7;
const IDLE_SECONDS = 3;
/** After a start, code is still compiled and memory returned for a while. */
const SETTLING_MS = 60_000;
const RESTING_MS = 30_000;
const PROGRAM = process.env.LINESIDE_BENCH_BINARY === undefined ? "from source" : "compiled binary";

async function measureStart(): Promise<Row[]> {
  const directory = temporaryDirectory();
  const times: number[] = [];
  let idleMb = 0;
  for (let index = 0; index < STARTS; index++) {
    const gateway = await startGateway(directory);
    times.push(gateway.readyMs);
    if (index === STARTS - 1) {
      await Bun.sleep(IDLE_SECONDS * 1000);
      idleMb = residentMb(gateway.pid);
    }
    await gateway.kill("SIGTERM");
  }
  remove(directory);
  const median = times.sort((a, b) => a - b)[STARTS >> 1] ?? 0;
  return [
    {
      section: "Footprint",
      measure: `start to ready, ${PROGRAM}, median of ${STARTS} (process start included)`,
      value: `${fixed(median, 0)} ms`,
      goal: "≤ 200 ms",
      met: median <= 200,
    },
    {
      section: "Footprint",
      measure: `resident memory, ${PROGRAM}, idle ${IDLE_SECONDS} s after its start`,
      value: `${fixed(idleMb, 0)} MB`,
      goal: "≤ 80 MB",
      met: idleMb <= 80,
    },
  ];
}

/** Processor time of a gateway with nothing to do: no device, no screen. */
async function measureRest(): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  await Bun.sleep(SETTLING_MS);
  const before = cpuSeconds(gateway.pid);
  await Bun.sleep(RESTING_MS);
  const percent = ((cpuSeconds(gateway.pid) - before) / (RESTING_MS / 1_000)) * 100;
  await gateway.kill("SIGTERM");
  remove(directory);
  return [
    {
      section: "Footprint",
      measure: `processor time at rest, ${PROGRAM}, no device and no screen, from 60 to 90 s after its start`,
      value: `${fixed(percent, 2)} % of a core`,
      goal: "≤ 0.2 %",
      met: percent <= 0.2,
    },
  ];
}

/** Delay of a 1 ms timer on the main thread while the load runs: the app lives in this process, the load in another. */
async function measureEventLoop(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const app = createApp(
    defaultConfig({
      data: directory,
      http_port: 0,
      mqtt_port: 0,
      http_host: "127.0.0.1",
      mqtt_host: "127.0.0.1",
    }),
  );
  await app.start();
  const owner = { email: "owner@bench.example", password: "a long enough password 7" };
  await app.services.setup.createOwner({ ...owner, fullName: "Bench", tenantName: "Bench" });
  const api = await connectApi({ url: app.url, ...owner });
  const devices = await createDevices(api, 100);
  const delays: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    delays.push(Math.max(0, now - last - 1));
    last = now;
  }, 1);
  const load = await runLoad({
    port: app.mqttPort,
    seconds,
    connections: 100,
    window: 2,
    qos: 1,
    topic: "v1/devices/me/telemetry",
    users: devices.map((device) => device.token),
  });
  clearInterval(timer);
  await app.stop();
  remove(directory);
  delays.sort((a, b) => a - b);
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? 0;
  return [
    {
      section: "Footprint",
      measure: `event-loop delay p99 at ${Math.round(load.messagesPerSecond / 1000)} k messages/s`,
      value: `${fixed(p99, 1)} ms`,
      goal: "≤ 5 ms",
      met: p99 <= 5,
    },
  ];
}

const MANY = 10_000;

/** Memory with many connected devices: idle first, then with a steady load. */
async function measureMany(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  try {
    const users = (await createDevices(await gateway.signIn(), MANY)).map(({ token }) => token);
    // What making the devices left behind would be counted as that of their connections.
    await untilIdle(gateway.pid);
    const before = residentMb(gateway.pid);
    const load = {
      port: gateway.mqttPort,
      connections: MANY,
      window: 1,
      qos: 1,
      topic: "v1/devices/me/telemetry",
      users,
    } as const;
    const running = runLoad({ ...load, seconds: seconds + 30, rate: 1_000 });
    let loadedMb = 0;
    const watching = setInterval(() => {
      loadedMb = Math.max(loadedMb, residentMb(gateway.pid));
    }, 500);
    const { messagesPerSecond, p99Ms } = await running;
    clearInterval(watching);
    return [
      {
        section: "Footprint",
        measure: `resident memory, ${MANY.toLocaleString("en-US")} connected devices at ${Math.round(messagesPerSecond)} messages/s (before they connect ${fixed(before, 0)} MB; acknowledgement p99 ${fixed(p99Ms, 1)} ms)`,
        value: `${fixed(loadedMb, 0)} MB at most`,
        goal: "≤ 180 MB",
        met: loadedMb <= 180,
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

export async function benchFootprint(seconds: number): Promise<Row[]> {
  return [
    ...(await measureStart()),
    ...(await measureRest()),
    ...(await measureEventLoop(seconds)),
    ...(await measureMany(seconds)),
  ];
}
