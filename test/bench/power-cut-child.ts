/** Runs the script of power-cut-script.ts on a store while write-recorder.c records what it writes; see power-cuts.ts. */
import { dlopen, FFIType } from "bun:ffi";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import { createTelemetryStore } from "../../src/modules/telemetry/store/telemetry-store.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import { powerCutScript, scriptDevices } from "./power-cut-script.ts";
import { smallStore } from "./power-cut-state.ts";

const [file = "", library = "", seed = "1", steps = "1000"] = process.argv.slice(2);
const { symbols } = dlopen(library, {
  power_cut_mark: { args: [FFIType.f64], returns: FFIType.void },
  power_cut_end: { args: [], returns: FFIType.void },
});
const store = createTelemetryStore({
  file,
  clock: systemClock,
  log: createLogger("bench"),
  workerUrl: new URL("power-cut.worker.ts", import.meta.url),
  ...smallStore,
});
await store.start();

const idOf = (device: string) => device as DeviceId; // any text is an id to the store
const inFlightMax = 5;
const inFlight = new Set<Promise<void>>();
let number = 0;
for (const step of powerCutScript(Number(seed), Number(steps))) {
  if (step.kind === "append") {
    const sent = number++;
    symbols.power_cut_mark(2 * sent);
    const done: Promise<void> = store
      .append(store.device("tenant" as TenantId, idOf(step.device)), step.readings)!
      .then(() => {
        symbols.power_cut_mark(2 * sent + 1);
        inFlight.delete(done);
      });
    inFlight.add(done);
    if (inFlight.size >= inFlightMax) await Promise.race(inFlight);
    continue;
  }
  await Promise.all(inFlight);
  if (step.kind === "compact") {
    await store.compact();
    continue;
  }
  const sent = number++;
  symbols.power_cut_mark(2 * sent);
  if (step.kind === "delete") await store.deleteRange(idOf(step.device), [], step.from, step.to);
  else {
    const cutoffs = scriptDevices.map((device) => ({ deviceId: idOf(device), before: step.before }));
    await store.applyRetention(cutoffs);
  }
  symbols.power_cut_mark(2 * sent + 1);
}
await Promise.all(inFlight);
symbols.power_cut_end();
process.exit(0);
