import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";

/** Devices of which one is kept: enough to try steps on, and a few megabytes at the most. */
const DEVICES_MAX = 2_000;

/** Slot for a device's newest message: one write for each message, on the way that all of them go. */
export interface NewestMessage {
  reading: Reading | undefined;
}

/** The newest message of devices as it came, before any pipeline: what is stored has been through them already. */
export function createNewestMessages(): {
  holderOf(device: IngestDevice): NewestMessage;
  of(device: IngestDevice): Reading | undefined;
} {
  const holders = new WeakMap<IngestDevice, NewestMessage>();
  const gone = new FinalizationRegistry<undefined>(() => {
    count--;
  });
  let count = 0;
  return {
    holderOf(device) {
      const newestMessage = holders.get(device);
      if (newestMessage !== undefined) return newestMessage;
      const created: NewestMessage = { reading: undefined };
      // Beyond the limit it is written, and forgotten with whoever holds it.
      if (count >= DEVICES_MAX) return created;
      count++;
      holders.set(device, created);
      gone.register(device, undefined);
      return created;
    },
    of: (device) => holders.get(device)?.reading,
  };
}
