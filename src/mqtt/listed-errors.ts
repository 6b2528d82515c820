import { DomainError } from "../lib/domain-error.ts";
import type { DeviceIngest, IngestDevice, IngestSource } from "../modules/ingest/ingest.types.ts";

const SAMPLE_BYTES = 256;

/** Handles a message of a device; undefined for a topic of others. */
export type DeviceMessageHandler = (
  device: IngestDevice,
  topic: string,
  bytes: Uint8Array,
) => Promise<void> | undefined;

/** Wraps a handler of messages so that it lists a message that it refuses on its device. */
export const listingErrors =
  (
    { ingest, source }: { ingest: Pick<DeviceIngest, "reject">; source: IngestSource },
    handle: DeviceMessageHandler,
  ): DeviceMessageHandler =>
  (device, topic, bytes) => {
    try {
      return handle(device, topic, bytes);
    } catch (error) {
      if (error instanceof DomainError && error.kind !== "unavailable") {
        const { code, params } = error;
        const sample = bytes.slice(0, SAMPLE_BYTES);
        ingest.reject(device, { source, where: topic, code, params, sample });
      }
      throw error;
    }
  };
