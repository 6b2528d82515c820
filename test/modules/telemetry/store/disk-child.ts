/** Appends one reading after the other and prints what becomes of it, until its input ends; see store-disk.test.ts. */
import type { DeviceId, TenantId } from "../../../../src/lib/core/ids.ts";
import { createTelemetryStore } from "../../../../src/modules/telemetry/store/telemetry-store.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { systemClock } from "../../../../src/platform/time/clock.ts";

const [file = ""] = process.argv.slice(2);
const log = createLogger("test");
const store = createTelemetryStore({ file, clock: systemClock, log, diskFullRetryMs: 20 });
await store.start();
const device = store.device("tenant-1" as TenantId, "d" as DeviceId);
const readings = () => store.query(everything).then(([response]) => response?.series[0]?.points.length ?? 0);
const everything = {
  deviceIds: ["d" as DeviceId],
  keys: ["n"],
  from: 0,
  to: 1e9,
  aggregation: "none" as const,
  maxDataPoints: 1e6,
};
let running = true;
process.stdin.on("data", () => {
  running = false;
});
for (let ts = 0; running && ts < 100_000; ts++) {
  try {
    await store.append(device, [{ ts, values: { n: ts, noise: Math.random().toString(36).repeat(20) } }]);
    process.stdout.write(`ok ${ts}\n`);
  } catch (error) {
    const { code } = error as { code: string };
    process.stdout.write(`refused ${ts} ${code} ${await readings()}\n`);
    await Bun.sleep(5);
  }
}
await store.stop();
process.exit(0);
