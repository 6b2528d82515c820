import type { PublishPacket, Qos, Subscription } from "../lib/mqtt/packets.ts";
import type { ClientFilters } from "./client-filters.ts";

/** Describes where the broker's packets for one client go. */
export interface BrokerSink {
  deliver(message: PublishPacket): void;
  release(packetId: number): void;
  /** The broker gave the client up. */
  lost(): void;
  /** Returns whether the client reads too slowly. */
  isCongested(): boolean;
}

/** A message under its topic inside the broker, in its envelope. */
export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
}

export interface LinkOptions {
  /** The client's name in the broker: its session's key and a number, so that a successor never meets it. */
  readonly brokerClientId: string;
  /** States where all topics of the client are, inside the broker. */
  readonly space: string;
  readonly sink: BrokerSink;
  /** Called when the shared subscriptions of the client have changed. */
  sharedChanged(): void;
  closed(): void;
}

export type Done = (error?: Error | null) => void;

/** One client's place in the broker. */
export interface ClientLink {
  readonly brokerClientId: string;
  readonly space: string;
  readonly filters: ClientFilters;
  /** States whether the broker will still read the session's queue: what is added to it now is sent, and lost by no early end. */
  readonly readsQueue: boolean;
  isCongested(): boolean;
  subscribe(subscriptions: readonly Subscription[], done: Done): void;
  unsubscribe(filters: readonly string[], done: Done): void;
  /** Sends a retained message to this client alone. */
  sendRetained(message: BrokerMessage): void;
  /** Sends a message to this client alone. */
  send(message: BrokerMessage): void;
  /** Takes the client's answer to a message of the broker's. */
  acknowledge(header: number, packetId: number): void;
  /** The client is gone. */
  close(): void;
}
