import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

/** A text that only the gateway can read. */
export interface Sealed {
  readonly sealed: string;
}

/** Destination of requests and the way to send them. For many requests, keep one object: it is looked up by identity first. */
export interface OutboundTarget {
  readonly url: string;
  /** Whole address where it is a secret; `url` is what may be shown of it. */
  readonly sealedUrl?: Sealed | undefined;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | Sealed>>;
  /** Used for the whole exchange. */
  readonly timeoutMs: number;
  /** Signs the body; sealed before it is kept. Null for no signature. */
  readonly secret: string | Sealed | null;
}

/** Object that causes requests, e.g. a pipeline: they are counted, listed and removed by it. */
export interface OutboundSource {
  readonly kind: "pipeline" | "alarm" | "notification";
  readonly id: string;
}

export interface OutboundRequest {
  readonly tenantId: TenantId;
  readonly source: OutboundSource;
  readonly target: OutboundTarget;
  /** Ordering key, such as a device's id: requests of one target with the same key are sent one after the other. */
  readonly orderKey: string;
  readonly body: string;
  /** `application/json` unless given. */
  readonly contentType?: string;
  /** While one with the same key waits for the target, or lies dead, another one is not taken. */
  readonly dedupeKey?: string;
}

export type OutboundState = "WAITING" | "DEAD";

/** A request that waits, or that was given up. */
export interface OutboundEntry {
  /** Id of the request; each attempt is sent with it. */
  readonly deliveryId: string;
  readonly source: OutboundSource;
  readonly url: string;
  readonly method: string;
  readonly orderKey: string;
  readonly state: OutboundState;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: Text | null;
  /** Epoch ms, as all times here. */
  readonly createdAt: number;
  readonly nextAttemptAt: number | null;
  readonly diedAt: number | null;
  readonly bytes: number;
}

export interface OutboundCounts {
  /** Delivered. */
  readonly sent: number;
  /** Given up, ever. */
  readonly died: number;
  readonly waiting: number;
  /** Given up and still kept. */
  readonly dead: number;
  readonly lastSentAt: number | null;
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
}

/** Answer of a server, or the reason why there is none. */
export interface OutboundAnswer {
  /** `null` if there was no answer. */
  readonly status: number | null;
  readonly error: Text | null;
  /** The first 200 printable characters of what it said: for the person who runs the gateway alone. */
  readonly body: string;
  readonly durationMs: number;
}

export interface OutboundFilter {
  readonly source?: { readonly kind: OutboundSource["kind"]; readonly id?: string | undefined };
  readonly state?: OutboundState | undefined;
  /** Part of the address. */
  readonly search?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}
