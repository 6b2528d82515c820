import {
  buildPreload,
  createDevices,
  remove,
  runLoad,
  startGateway,
  temporaryDirectory,
} from "./processes.ts";
import { type Row, thousands } from "./report.ts";
import { benchWear } from "./wear.ts";

const SLOW_LOAD = { connections: 100, qos: 1, topic: "v1/devices/me/telemetry" } as const;
/**
 * Messages that each connection keeps in flight. With 20 ms more a commit a rate cannot exceed what is in flight divided by these 20 ms:
 * 2,000 messages allow 100,000/s at the very most, 40,000 leave room.
 */
const SLOW_WINDOWS = [20, 100, 400] as const;
const SLOW_SECONDS = 0.02;
const BOUND_SHARE_MIN = 0.9;

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
    const bound = Math.min(fast, (SLOW_LOAD.connections * window) / SLOW_SECONDS);
    rows.push({
      section: "Disk",
      measure: `QoS 1, 100 connections, window ${window}, with 20 ms added to every fsync, messages/s`,
      value: thousands(slow),
      peer: `bound by the disk or without the 20 ms: ${thousands(bound)} (without: ${thousands(fast)})`,
      ratio: slow / bound,
      goal: `≥ ${BOUND_SHARE_MIN} ×`,
      met: slow / bound >= BOUND_SHARE_MIN,
    });
  }
  remove(directory);
  return rows;
}

/** Long enough for several sealings. */
const WEAR_SECONDS = 60;

export const benchDisk = async (seconds: number): Promise<Row[]> => [
  ...(await measureSlowDisk(seconds)),
  ...(await benchWear(WEAR_SECONDS)),
];
