import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { pythonOfAsyncua } from "../support/opcua-simulator.ts";
import {
  cpuSeconds,
  type Gateway,
  remove,
  residentMb,
  startGateway,
  temporaryDirectory,
  untilIdle,
} from "./processes.ts";
import { fixed, type Row } from "./report.ts";

const VARIABLES_PER_UNIT = 2_000;
const SETTLING_MS = 20_000;

interface Load {
  readonly variables: number;
  /** Variables that change in each second. */
  readonly changes: number;
  readonly intervalMs: number;
  readonly reading: "SUBSCRIPTION" | "POLLING";
  readonly seconds: number;
}

async function startServer({ variables, changes }: Load) {
  const port = await freePort();
  const script = join(import.meta.dir, "opcua_load.py");
  const child = Bun.spawn([pythonOfAsyncua ?? "", script, ...[port, variables, changes].map(String)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  await child.stdout.getReader().read();
  return { port, pid: child.pid, stop: () => child.kill("SIGKILL") };
}

async function connect(gateway: Gateway, port: number, { variables, intervalMs, reading }: Load) {
  const api = await gateway.signIn();
  const path = "/api/opcua/connections";
  const { connectionId } = await api.post<{ connectionId: string }>(path, {
    name: "load",
    host: "127.0.0.1",
    port,
    reading,
  });
  const devices: string[] = [];
  for (let first = 0; first < variables; first += VARIABLES_PER_UNIT) {
    const device = { name: `load ${first}`, deviceType: "machine" };
    const { deviceId } = await api.post<{ deviceId: string }>("/api/devices", device);
    const items = Array.from({ length: Math.min(VARIABLES_PER_UNIT, variables - first) }, (_, index) => ({
      key: `v${first + index}`,
      address: `ns=2;s=Load.${first + index}`,
    }));
    await api.post(`${path}/${connectionId}/units`, { deviceId, intervalMs, items });
    devices.push(deviceId);
  }
  return { api, devices };
}

/** Values that are stored per second, against those that changed, and what they cost. */
async function measure(load: Load): Promise<Row[]> {
  const directory = temporaryDirectory();
  const server = await startServer(load);
  const gateway = await startGateway(directory, ["--outbound-allow", "127.0.0.1"]);
  await untilIdle(gateway.pid);
  const baseMb = residentMb(gateway.pid);
  const { api, devices } = await connect(gateway, server.port, load);
  await Bun.sleep(SETTLING_MS);
  const from = Date.now();
  const before = { gateway: cpuSeconds(gateway.pid), server: cpuSeconds(server.pid) };
  await Bun.sleep(load.seconds * 1_000);
  const to = Date.now();
  const used = {
    gateway: (cpuSeconds(gateway.pid) - before.gateway) / load.seconds,
    server: (cpuSeconds(server.pid) - before.server) / load.seconds,
  };
  const memoryMb = residentMb(gateway.pid) - baseMb;
  await Bun.sleep(2 * load.intervalMs + 2_000);
  let stored = 0;
  let repeated = 0;
  for (const [number, deviceId] of devices.entries())
    for (let first = 0; first < VARIABLES_PER_UNIT; first += 100) {
      const last = Math.min(first + 100, load.variables - number * VARIABLES_PER_UNIT);
      if (last <= first) break;
      const keys = Array.from(
        { length: last - first },
        (_, index) => `v${number * VARIABLES_PER_UNIT + first + index}`,
      );
      const { data } = await api.post<{
        data: { series: { points: { value: number }[] }[] }[];
      }>("/api/v1/telemetry/query", { deviceIds: [deviceId], keys, from, to, aggregation: "none" });
      for (const { points } of data.flatMap(({ series }) => series)) {
        stored += points.length;
        repeated += points.length - new Set(points.map(({ value }) => value)).size;
      }
    }
  await gateway.kill("SIGTERM");
  server.stop();
  remove(directory);
  const subject = `${load.variables} variables, ${load.changes} changes per second, ${load.reading}`;
  const changed = Math.min(load.changes, load.variables) * load.seconds;
  const row = (measure: string, value: string, goal = "–", met?: boolean): Row => ({
    section: "OPC UA",
    measure: `${subject}: ${measure}`,
    value,
    goal,
    met,
  });
  return [
    row("values stored, of those that changed", `${stored} of ${changed}`),
    row("values stored twice", String(repeated), "0", repeated === 0),
    row("processor time of the gateway", `${fixed(used.gateway * 100, 1)} % of a core`),
    row("processor time of the server", `${fixed(used.server * 100, 1)} % of a core`),
    row("memory above base", `${fixed(memoryMb, 0)} MB`, "≤ 35 MB", memoryMb <= 35),
  ];
}

/** Reads a server of asyncua by subscription and by polling. */
export async function benchFieldOpcUa(seconds: number): Promise<Row[]> {
  if (pythonOfAsyncua === null) return [];
  const rows: Row[] = [];
  for (const reading of ["SUBSCRIPTION", "POLLING"] as const) {
    rows.push(...(await measure({ variables: 400, changes: 400, intervalMs: 1_000, reading, seconds })));
    rows.push(...(await measure({ variables: 20_000, changes: 200, intervalMs: 10_000, reading, seconds })));
  }
  return rows;
}
