import type { Text } from "../../../lib/texts/text.ts";
import type { GrantedSubscription } from "../../../platform/broker/broker.types.ts";
import type { InboundMessage } from "../integrations.types.ts";

export interface BridgeMessage extends InboundMessage {
  readonly topic: string;
}

/** `waiting`: until the next try, see `nextAttemptAt`. */
export type BridgeStatus = "stopped" | "connecting" | "connected" | "waiting";

/** Describes what a bridge is doing, for people to look at. */
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

export interface BridgeCounts {
  readonly received: number;
  /** Messages that were ignored on purpose: retained replays, empty ones, topics of ended subscriptions. */
  readonly ignored: number;
  /** Larger than is taken. */
  readonly tooLarge: number;
}
