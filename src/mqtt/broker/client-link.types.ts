import type { PublishPacket, Qos, Subscription } from "../../lib/mqtt/packets.ts";
import type { ClientFilters } from "./client-filters.ts";

/** Receiver of the broker's packets for one client. */
export interface BrokerSink {
  deliver(message: PublishPacket): void;
  release(packetId: number): void;
  /** Called when the broker drops the client. */
  lost(): void;
  /** Returns whether the client reads too slowly. */
  isCongested(): boolean;
  /** Returns whether the client accepts another message of QoS 1 or 2 now. */
  hasRoom(): boolean;
}

/** Message with its internal topic, in its envelope. */
export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
}

/** Message for one client with its external topic, in its envelope. */
export interface LinkMessage extends BrokerMessage {
  readonly retain: boolean;
}

export interface LinkOptions {
  /** See `brokerClientIdOf`. */
  readonly brokerClientId: string;
  /** Internal prefix of all topics of the client. */
  readonly space: string;
  readonly sink: BrokerSink;
}

export interface ApplicationLinkOptions extends LinkOptions {
  closed(): void;
}

export type Done = (error?: Error | null) => void;

/** Link of one client to the broker. */
export interface ClientLink {
  readonly brokerClientId: string;
  readonly space: string;
  readonly filters: ClientFilters;
  subscribe(subscriptions: readonly Subscription[], done: Done): void;
  unsubscribe(filters: readonly string[], done: Done): void;
  /** Sends a retained message to this client alone. */
  sendRetained(message: BrokerMessage): void;
  /** Processes the response of the client to a message of the broker. */
  acknowledge(header: number, packetId: number): void;
  /** Calls back once the subscriptions of a resumed session are active. */
  whenReady(call: () => void): void;
  /** True after the queue of a resumed session was sent. Earlier commands would overtake it. */
  readonly isQueueSent: boolean;
  /** Calls back once the queue of a resumed session was sent. */
  whenQueueSent(call: () => void): void;
  /** Sends waiting messages, when the client is ready or accepts more again. */
  resume?(): void;
  /** Closes the link after the client has gone. */
  close(): void;
}

/** Link of a client with topics of its own. */
export interface ApplicationLink extends ClientLink {
  isCongested(): boolean;
  deliver(message: LinkMessage): void;
}
