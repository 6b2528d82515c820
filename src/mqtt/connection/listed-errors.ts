import type { DeviceIngest, IngestDevice, IngestSource } from "../../modules/ingest/ingest.types.ts";

/** Handles a message of a device; undefined for foreign topics. */
export type DeviceMessageHandler = (
  device: IngestDevice,
  topic: string,
  bytes: Uint8Array,
) => Promise<void> | undefined;

/** Wraps a message handler so that it lists refused messages on the device. */
export const listingErrors =
  (
    { ingest, source }: { ingest: Pick<DeviceIngest, "refuse">; source: IngestSource },
    handle: DeviceMessageHandler,
  ): DeviceMessageHandler =>
  (device, topic, bytes) => {
    try {
      return handle(device, topic, bytes);
    } catch (error) {
      ingest.refuse(device, error, { source, where: topic, sample: bytes });
      throw error;
    }
  };
