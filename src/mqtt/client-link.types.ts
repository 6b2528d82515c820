import type { PublishPacket, Qos, Subscription } from "../lib/mqtt/packets.ts";
import type { ClientFilters } from "./client-filters.ts";

/** Receiver of the broker's packets for one client. */
export interface BrokerSink {
  deliver(message: PublishPacket): void;
  release(packetId: number): void;
  /** The broker gave the client up. */
  lost(): void;
  /** Returns whether the client reads too slowly. */
  isCongested(): boolean;
  /** Returns whether the client takes another message of QoS 1 or 2 now. */
  hasRoom(): boolean;
}

/** A message under its topic inside the broker, in its envelope. */
export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
}

/** A message for one client, in its envelope and under the topic that clients name. */
export interface LinkMessage extends BrokerMessage {
  readonly retain: boolean;
}

export interface LinkOptions {
  /** See `brokerClientIdOf`. */
  readonly brokerClientId: string;
  /** Prefix of all topics of the client, inside the broker. */
  readonly space: string;
  readonly sink: BrokerSink;
}

export interface ApplicationLinkOptions extends LinkOptions {
  closed(): void;
}

export type Done = (error?: Error | null) => void;

/** One client's place in the broker. */
export interface ClientLink {
  readonly brokerClientId: string;
  readonly space: string;
  readonly filters: ClientFilters;
  subscribe(subscriptions: readonly Subscription[], done: Done): void;
  unsubscribe(filters: readonly string[], done: Done): void;
  /** Sends a retained message to this client alone. */
  sendRetained(message: BrokerMessage): void;
  /** Takes the client's answer to a message of the broker's. */
  acknowledge(header: number, packetId: number): void;
  /** Calls back once the subscriptions of a resumed session are in effect. */
  whenReady(call: () => void): void;
  /** Whether the queue of a resumed session was sent: a command that is published before overtakes it. */
  readonly isQueueSent: boolean;
  /** Calls back once the queue of a resumed session was sent. */
  whenQueueSent(call: () => void): void;
  /** Sends what waits for the client: it is ready, or takes more again. */
  resume?(): void;
  /** The client is gone. */
  close(): void;
}

/** Place of a client that has topics of its own. */
export interface ApplicationLink extends ClientLink {
  isCongested(): boolean;
  deliver(message: LinkMessage): void;
}
