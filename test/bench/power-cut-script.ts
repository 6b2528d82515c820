import { createRandom } from "../../src/lib/data/random.ts";
import type { Reading } from "../../src/modules/telemetry/telemetry.types.ts";

/** Actions of the recorded program, the same for each seed, so that the explorer of its crash states knows what must be there. */
export type Step =
  | { readonly kind: "append"; readonly device: string; readonly readings: readonly Reading[] }
  /** A closed range of timestamps. */
  | { readonly kind: "delete"; readonly device: string; readonly from: number; readonly to: number }
  | { readonly kind: "retention"; readonly before: number }
  | { readonly kind: "compact" };

export const scriptDevices = ["d0", "d1", "d2", "d3"];

/** A row as it must come back; the same at each time it is sent, so that a second sending changes nothing. */
export const rowAt = (ts: number): Reading => ({
  ts,
  values: {
    n: ((ts * 7) % 1_000) / 10,
    ...(ts % 3 === 0 ? { text: `s${ts % 13}` } : {}),
  },
});

/** Appends that are new, late, repeated or large, deletions of ranges, retention and compaction. */
export function* powerCutScript(seed: number, steps: number): Generator<Step> {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  let ts = 1_000;

  function append(device: string): Step {
    const late = random() < 0.1 ? below(600) : 0;
    const rows = random() < 0.05 ? 60 : 1 + below(3);
    const first = ts - late;
    if (late === 0) ts += rows;
    return { kind: "append", device, readings: Array.from({ length: rows }, (_, i) => rowAt(first + i)) };
  }

  function deletion(device: string): Step {
    const from = ts - below(800);
    return { kind: "delete", device, from, to: from + below(100) };
  }

  for (let step = 0; step < steps; step++) {
    const dice = random();
    const device = scriptDevices[below(scriptDevices.length)] ?? "d0";
    if (dice < 0.004) yield { kind: "compact" };
    else if (dice < 0.01) yield { kind: "retention", before: ts - 1_500 };
    else yield dice < 0.03 ? deletion(device) : append(device);
  }
}
