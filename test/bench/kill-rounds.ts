import { statSync } from "node:fs";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import { compare, type NumberedSender, startHttpSender, startMqttSender } from "./numbered-load.ts";
import { createDevices, type Gateway, remove, startGateway, temporaryDirectory } from "./processes.ts";
import { openStore } from "./storage.ts";

/** Result of rounds of SIGKILL under load. */
export interface KillResult {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** Starts to ready after a kill, in ms. */
  readonly readyMsMedian: number;
  readonly readyMsMax: number;
}

const LOAD_MS_MAX = 250;

/** Two connections of MQTT QoS 1, one of QoS 2, one of HTTP. */
const ways = [
  ({ mqttPort }: Gateway, token: string) => startMqttSender(mqttPort, token, 1),
  ({ mqttPort }: Gateway, token: string) => startMqttSender(mqttPort, token, 1),
  ({ mqttPort }: Gateway, token: string) => startMqttSender(mqttPort, token, 2),
  async ({ url }: Gateway, token: string): Promise<NumberedSender> => startHttpSender(url, token),
];

const LARGE_DEVICES = 200;
const READINGS_PER_APPEND = 5_000;
const STEP_MS = 1_000;
const FIRST_LARGE_TS = 1_600_000_000_000;

/** Fills the store of a data directory, which then has the devices as well, with random doubles to about so many bytes. */
export async function fillDirectory(directory: string, bytes: number): Promise<void> {
  const gateway = await startGateway(directory);
  const api = await gateway.signIn();
  const { tenantId } = await api.get<{ tenantId: TenantId }>("/api/auth/me");
  const devices = await createDevices(api, LARGE_DEVICES, "years");
  await gateway.kill("SIGTERM");
  const store = await openStore(directory);
  const file = join(directory, "telemetry.db");
  for (let round = 0; statSync(file).size < bytes; round++) {
    for (const { deviceId } of devices) {
      const readings = Array.from({ length: READINGS_PER_APPEND }, (_, index) => ({
        ts: FIRST_LARGE_TS + (round * READINGS_PER_APPEND + index) * STEP_MS,
        values: { a: Math.random(), b: Math.random(), c: Math.random() },
      }));
      await store.append(store.device(tenantId, deviceId as DeviceId), readings); // the id that it was created with
    }
  }
  await store.stop();
}

/** Kills a gateway under load at random moments, restarts it, and compares what it has with what it acknowledged. */
export async function runKillRounds(
  rounds: number,
  options: { loadMsMax?: number; directory?: string } = {},
): Promise<KillResult> {
  const directory = options.directory ?? temporaryDirectory();
  let gateway = await startGateway(directory);
  const totals = { acknowledged: 0, lost: 0, doubled: 0 };
  const readyMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const devices = await createDevices(await gateway.signIn(), ways.length, `round ${round}`);
    const pairs = devices.map((device, index) => ({ device, start: ways[index] }));
    const running = await Promise.all(
      pairs.map(async ({ device, start }) => ({ device, sender: await start?.(gateway, device.token) })),
    );
    await Bun.sleep(20 + Math.random() * (options.loadMsMax ?? LOAD_MS_MAX));
    await gateway.kill("SIGKILL");
    for (const { sender } of running) sender?.close();
    gateway = await startGateway(directory);
    readyMs.push(gateway.readyMs);
    for (const { device, sender } of running) {
      if (sender === undefined) continue;
      const result = await compare(gateway, device, sender);
      totals.acknowledged += result.acknowledged;
      totals.lost += result.lost;
      totals.doubled += result.doubled;
    }
  }
  await gateway.kill("SIGTERM");
  if (options.directory === undefined) remove(directory);
  readyMs.sort((a, b) => a - b);
  return {
    rounds,
    ...totals,
    readyMsMedian: readyMs[readyMs.length >> 1] ?? 0,
    readyMsMax: readyMs[readyMs.length - 1] ?? 0,
  };
}
