import type { Text } from "../../../lib/texts/text.ts";
import type { BrokerMessage, GrantedSubscription } from "../../../platform/broker/broker.types.ts";
import type { InboundMessage } from "../integrations.types.ts";

export interface BridgeMessage extends InboundMessage {
  readonly topic: string;
}

/** `waiting`: until the next attempt, see `nextAttemptAt`. */
export type BridgeStatus = "stopped" | "connecting" | "connected" | "waiting";

/** State of a bridge, for display. */
export interface BridgeState {
  readonly status: BridgeStatus;
  /** Start of the status, epoch ms. */
  readonly since: number;
  /** Problem that currently prevents all or part of the bridge's work. */
  readonly problem: Text | null;
  /** Current or last error; `null` once a connection has held and delivered messages. */
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
  readonly nextAttemptAt: number | null;
  /** Consecutive failed attempts. */
  readonly failedAttempts: number;
  readonly subscriptions: readonly GrantedSubscription[];
  /** Messages since the bridge was started. */
  readonly counts: BridgeCounts;
}

/** Topics that are followed in addition to the configured ones, because devices have announced them. */
export interface AnnouncedTopics {
  readonly topics: { has(topic: string): boolean; keys(): Iterable<string> };
}

/** Connection to an external broker, or to the embedded one. */
export interface Bridge {
  readonly state: BridgeState;
  start(): void;
  /** Ends the connection; an external broker keeps the session and its messages. */
  stop(): Promise<void>;
  /** Stops, and deletes the session at the broker. @throws Error if the broker cannot be reached */
  end(signal?: AbortSignal): Promise<void>;
  /** Applies a change of announced topics. */
  topicsChanged(): void;
  /** Resolves when the broker has the message. @throws DomainError `unavailable` without a connection */
  publish(message: BrokerMessage): Promise<void>;
  /**
   * Publishes the reply to a message of the broker. Returns false, and drops the reply, if there is no room. @throws DomainError `unavailable`
   * without a connection
   */
  reply(message: BrokerMessage): Promise<boolean>;
}

export interface BridgeCounts {
  readonly received: number;
  /** Messages that were ignored on purpose: retained replays, empty ones, topics of ended subscriptions. */
  readonly ignored: number;
  /** Messages above the size limit. */
  readonly tooLarge: number;
  /** Messages dropped because the rate stayed exhausted. */
  readonly dropped: number;
}
