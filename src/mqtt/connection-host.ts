import type { ConnectPacket } from "../lib/mqtt/packets.ts";
import type { Logger } from "../platform/log.ts";
import type { Client } from "./client.ts";
import type { Connection } from "./connection.ts";
import type { FairQueue } from "./fair-queue.ts";
import type { MqttLimits } from "./mqtt.types.ts";

export interface Counters {
  messagesIn: number;
  messagesOut: number;
  messagesDropped: number;
  bytesIn: number;
  refusedConnections: number;
  protocolErrors: number;
}

export const noCounts = (): Counters => ({
  messagesIn: 0,
  messagesOut: 0,
  messagesDropped: 0,
  bytesIn: 0,
  refusedConnections: 0,
  protocolErrors: 0,
});

/** What a connection needs of its server. */
export interface ConnectionHost {
  readonly limits: MqttLimits;
  readonly log: Logger;
  readonly counters: Counters;
  readonly fairQueue: FairQueue;
  /** See `ServerTime`. */
  readonly now: number;
  /** Signs a client in, or gives the reason why not. */
  admit(connection: Connection, packet: ConnectPacket): Client | number | Promise<Client | number>;
  gone(connection: Connection): void;
}
