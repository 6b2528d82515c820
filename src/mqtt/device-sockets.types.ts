import type { IngestDevice } from "../modules/ingest/ingest.types.ts";

/** Sending side of a device's connection. */
export interface DevicePeer {
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

/** Receiving side of a device's connection. */
export interface DeviceSocket {
  message(frame: string | Uint8Array): void;
  closed(): void;
}

/** Accepts the WebSockets of devices. */
export interface DeviceSocketServer {
  open(device: IngestDevice, peer: DevicePeer): DeviceSocket;
}
