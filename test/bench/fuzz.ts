import { join } from "node:path";
import { connectAsync } from "mqtt";
import type { FuzzResult } from "./fuzz-clients.ts";
import { createDevices, remove, residentMb, startGateway, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const VICTIMS = 40;
const HEALTHY_EVERY_MS = 50;
/** Share of the run after which caches, pools and compiled code have reached their size. */
const WARM_SHARE = 0.2;
const SETTLE_MS = 5_000;

async function runFuzz(
  port: { mqtt: number; http: string },
  usersFile: string,
  seconds: number,
  seed: number,
) {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "fuzz-clients.ts"),
      String(port.mqtt),
      port.http,
      usersFile,
      String(seconds),
      String(seed),
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the fuzzer failed");
  return JSON.parse(output) as FuzzResult; // its own one line
}

/** A client that behaves, and how long each of its messages waits for its acknowledgement. */
async function startHealthy(port: number, token: string) {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: token,
    protocolVersion: 5,
    reconnectPeriod: 0,
  });
  const times: number[] = [];
  let lost = 0;
  let running = true;
  const loop = (async () => {
    while (running) {
      const timeMs = performance.now();
      await client
        .publishAsync("v1/devices/me/telemetry", '{"alive":true}', { qos: 1 })
        .then(() => times.push(performance.now() - timeMs))
        .catch(() => lost++);
      await Bun.sleep(HEALTHY_EVERY_MS);
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
      const { connected } = client;
      await client.endAsync(true);
      times.sort((a, b) => a - b);
      return { p99Ms: times[Math.floor(times.length * 0.99)] ?? 0, sent: times.length, lost, connected };
    },
  };
}

/** Nonsense on every port for as long as asked: whether the gateway lives, grows, or lets others feel it. */
export async function benchFuzz(minutes: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory, ["--mqtt-connections-per-address-max", "1000"]);
  let exited = false;
  void gateway.exited.then(() => {
    exited = true;
  });
  try {
    const api = await gateway.signIn();
    const devices = await createDevices(api, VICTIMS, "victim");
    const [healthyDevice] = await createDevices(api, 1, "healthy");
    const gatewayDevice = await api.post<{ credentials: { token: string } }>("/api/devices", {
      name: "fuzzed gateway",
      deviceType: "bench",
      role: "GATEWAY",
    });
    const usersFile = join(directory, "users");
    const tokens = [...devices.map(({ token }) => token), gatewayDevice.credentials.token];
    await Bun.write(usersFile, tokens.join(","));
    const port = { mqtt: gateway.mqttPort, http: new URL(gateway.url).port };
    const seconds = minutes * 60;
    await runFuzz(port, usersFile, seconds * WARM_SHARE, 1);
    await Bun.sleep(SETTLE_MS);
    const before = residentMb(gateway.pid);
    const healthy = await startHealthy(gateway.mqttPort, healthyDevice?.token ?? "");
    const fuzzed = await runFuzz(port, usersFile, seconds * (1 - WARM_SHARE), 2);
    const served = await healthy.stop();
    await Bun.sleep(SETTLE_MS);
    const grown = residentMb(gateway.pid) - before;
    // 505 is the right answer to a version of HTTP that there is none of.
    const fiveHundreds = Object.entries(fuzzed.responses)
      .filter(([status]) => Number(status) >= 500 && status !== "505")
      .reduce((sum, [, count]) => sum + count, 0);
    const isAlive = !exited && (await fetch(`${gateway.url}/readyz`)).status === 200;
    return [
      {
        section: "Fuzzing",
        measure: `${minutes} minutes of malformed MQTT packets and HTTP requests: ${thousands(fuzzed.packets)} packets on ${thousands(fuzzed.connections)} connections, ${thousands(fuzzed.requests)} requests`,
        value: `${isAlive ? "alive" : "ended"}, ${fiveHundreds} answers of 500 or more`,
        goal: "0 exits, 0 answers ≥ 500",
        met: isAlive && fiveHundreds === 0,
      },
      {
        section: "Fuzzing",
        measure: `memory after it against after its first ${Math.round(WARM_SHARE * 100)} %`,
        value: `${fixed(grown, 1)} MB`,
        goal: "≤ 16 MB",
        met: grown <= 16,
      },
      {
        section: "Fuzzing",
        measure: `a healthy client meanwhile, ${thousands(served.sent)} QoS 1 messages`,
        value: `acknowledgement p99 ${fixed(served.p99Ms, 1)} ms, ${served.lost} lost, ${served.connected ? "still connected" : "disconnected"}`,
        goal: "p99 ≤ 50 ms, stays connected",
        met: served.p99Ms <= 50 && served.lost === 0 && served.connected,
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}
