import type { Text } from "../../../lib/texts/text.ts";
import type { BrokerMessage, GrantedSubscription } from "../../../platform/broker/broker.types.ts";
import type { InboundMessage } from "../integrations.types.ts";

export interface BridgeMessage extends InboundMessage {
  readonly topic: string;
}

/** `waiting`: until the next try, see `nextAttemptAt`. */
export type BridgeStatus = "stopped" | "connecting" | "connected" | "waiting";

/** State of a bridge, for people to look at. */
export interface BridgeState {
  readonly status: BridgeStatus;
  /** Epoch ms since when. */
  readonly since: number;
  /** Problem that keeps the bridge from all or part of its work now. */
  readonly problem: Text | null;
  /** Error of now or earlier; `null` once a connection has held and brought messages. */
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
  readonly nextAttemptAt: number | null;
  /** Attempts in a row that have failed. */
  readonly failedAttempts: number;
  readonly subscriptions: readonly GrantedSubscription[];
  /** Messages since the bridge was started. */
  readonly counts: BridgeCounts;
}

/** Topics that are followed in addition to those of the settings, because devices have announced them. */
export interface AnnouncedTopics {
  readonly topics: { has(topic: string): boolean; keys(): Iterable<string> };
}

/** A connection to a broker, or to the embedded one. */
export interface Bridge {
  readonly state: BridgeState;
  start(): void;
  /** Ends the connection; a broker elsewhere keeps the session and what comes for it. */
  stop(): Promise<void>;
  /** Stops, and has the broker forget the session. @throws Error where the broker cannot be told */
  end(signal?: AbortSignal): Promise<void>;
  /** Applies that other topics have been announced. */
  topicsChanged(): void;
  /** Resolves when the broker has it. @throws DomainError `unavailable` while there is no connection. */
  publish(message: BrokerMessage): Promise<void>;
  /**
   * Publishes the reply to a message of the broker. Returns false, and drops the reply, if there is no room. @throws DomainError `unavailable` while
   * there is no connection.
   */
  reply(message: BrokerMessage): Promise<boolean>;
}

export interface BridgeCounts {
  readonly received: number;
  /** Messages that were ignored on purpose: retained replays, empty ones, topics of ended subscriptions. */
  readonly ignored: number;
  /** Larger than is taken. */
  readonly tooLarge: number;
  /** Messages that were given up because the rate stayed exhausted. */
  readonly dropped: number;
}
