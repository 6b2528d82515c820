/** Appends as fast as it can and prints, one JSON line a group, what has been acknowledged; its parent kills it. */
import type { DeviceId, TenantId } from "../../../../src/lib/core/ids.ts";
import { createTelemetryStore } from "../../../../src/modules/telemetry/store/telemetry-store.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { systemClock } from "../../../../src/platform/time/clock.ts";

const [file = "", first = "0"] = process.argv.slice(2);
const store = createTelemetryStore({
  file,
  clock: systemClock,
  log: createLogger("test"),
  // Small, so that a kill meets sealing, merging and checkpoints as often as plain commits.
  hotPointsMax: 500,
  hotPointsPerSeries: 0,
  blockRowsTarget: 128,
  walBytesMax: 128 * 1024,
});
await store.start();
const devices = ["k0", "k1", "k2"].map((name) => store.device("tenant-1" as TenantId, name as DeviceId));

/** Calls at once, so that where syncs overlap several groups are in flight. */
const CALLS_IN_FLIGHT = 6;
const inFlight: { readonly from: number; readonly to: number; readonly acknowledged: Promise<void> }[] = [];

let sequence = Number(first);
for (;;) {
  const from = sequence;
  let acknowledged = Promise.resolve();
  for (let i = 0; i < 10; i++) {
    const device = devices[sequence % devices.length]!;
    acknowledged = store.append(device, [{ ts: sequence, values: { n: sequence, text: `s${sequence}` } }])!;
    sequence++;
  }
  inFlight.push({ from, to: sequence, acknowledged });
  if (inFlight.length < CALLS_IN_FLIGHT) {
    await Bun.sleep(1);
    continue;
  }
  const oldest = inFlight.shift();
  await oldest?.acknowledged;
  process.stdout.write(`${JSON.stringify([oldest?.from, oldest?.to])}\n`);
}
