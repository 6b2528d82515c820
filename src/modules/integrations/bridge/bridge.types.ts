import type { Text } from "../../../lib/texts/text.ts";
import type { BrokerMessage, InboundMessage } from "../integrations.types.ts";

export interface BridgeMessage extends InboundMessage {
  readonly topic: string;
}

/** `waiting`: until the next try, see `nextAttemptAt`. */
export type BridgeStatus = "stopped" | "connecting" | "connected" | "waiting";

export interface BridgeSubscription {
  readonly filter: string;
  /** Quality that the broker grants; null where it refuses. */
  readonly qos: number | null;
}

/** Describes what a bridge is doing, for people to look at. */
export interface BridgeState {
  readonly status: BridgeStatus;
  /** Epoch ms since when. */
  readonly since: number;
  /** Holds what keeps it from all or part of its work now. */
  readonly problem: Text | null;
  /** Error of now or earlier; `null` once a connection has held and brought messages. */
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
  readonly nextAttemptAt: number | null;
  /** Attempts in a row that have failed. */
  readonly failedAttempts: number;
  readonly subscriptions: readonly BridgeSubscription[];
  /** Messages since the bridge was started. */
  readonly counts: BridgeCounts;
}

export interface BridgeCounts {
  readonly received: number;
  /** Left out on purpose: retained replays, empty ones, topics that nothing is subscribed to any more. */
  readonly ignored: number;
  /** Larger than is taken. */
  readonly tooLarge: number;
}

export interface MqttBridge {
  start(): void;
  /** Ends the connection; the broker keeps the session and what comes for it. */
  stop(): Promise<void>;
  /** The same, and has the broker forget the session. @throws Error where the broker cannot be told */
  end(signal?: AbortSignal): Promise<void>;
  /** Resolves when the broker has it. @throws DomainError `unavailable` while there is no connection. */
  publish(message: BrokerMessage): Promise<void>;
  readonly state: BridgeState;
}
