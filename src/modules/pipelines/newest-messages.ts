import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";

/** Max. devices whose newest message is kept, which is enough to test steps. */
const DEVICES_MAX = 2_000;
/** Max. weight of a kept message, so that all of them take some 30 MB at most. Most weigh less than 1,000. */
export const KEPT_WEIGHT_MAX = 16_000;
/** Weight of a value besides its characters: about its bytes in memory. */
const VALUE_WEIGHT = 64;

/** Slot for a device's newest message. */
export interface NewestMessage {
  reading: Reading | undefined;
}

/** Returns the rest of a weight after a value; less than 0 as soon as there is too little. */
function leftAfter(value: TelemetryValue, left: number): number {
  let rest = left - VALUE_WEIGHT;
  if (typeof value === "string") return rest - value.length;
  if (typeof value !== "object" || value === null) return rest;
  const parts = value as Record<string, TelemetryValue>; // a list has its positions as names
  for (const name in parts) {
    rest = leftAfter(parts[name] as TelemetryValue, rest - name.length);
    if (rest < 0) return rest;
  }
  return rest;
}

/** Stores the newest message of a device, or none if it is too large to be kept: an older one would be misleading. */
export function keepNewest(holder: NewestMessage, reading: Reading | undefined): void {
  holder.reading =
    reading === undefined || leftAfter(reading.values as TelemetryValue, KEPT_WEIGHT_MAX) < 0
      ? undefined
      : reading;
}

/** Creates the store of devices' newest messages before any pipeline; stored telemetry has already passed through pipelines. */
export function createNewestMessages(): {
  holderOf(device: IngestDevice): NewestMessage;
  of(device: IngestDevice): Reading | undefined;
} {
  const holders = new WeakMap<IngestDevice, NewestMessage>();
  const gone = new FinalizationRegistry<undefined>(() => {
    count--;
  });
  let count = 0;
  /** Shared by all devices beyond the limit, and never shown. */
  const rest: NewestMessage = { reading: undefined };
  return {
    holderOf(device) {
      const newestMessage = holders.get(device);
      if (newestMessage !== undefined) return newestMessage;
      if (count >= DEVICES_MAX) return rest;
      const created: NewestMessage = { reading: undefined };
      count++;
      holders.set(device, created);
      gone.register(device, undefined);
      return created;
    },
    of: (device) => holders.get(device)?.reading,
  };
}
