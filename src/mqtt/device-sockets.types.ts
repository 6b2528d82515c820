import type { IngestDevice } from "../modules/ingest/ingest.types.ts";

/** Describes what a device's connection can do for us. */
export interface DevicePeer {
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

/** Describes what one connection tells of itself. */
export interface DeviceSocket {
  message(frame: string | Uint8Array): void;
  closed(): void;
}

/** Accepts the WebSockets of devices. */
export interface DeviceSocketServer {
  open(device: IngestDevice, peer: DevicePeer): DeviceSocket;
}
