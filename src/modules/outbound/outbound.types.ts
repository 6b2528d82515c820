import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

/** String that only the gateway can read. */
export interface Sealed {
  readonly sealed: string;
}

/** Destination of requests and how to send them. Reuse one object for many requests, because it is looked up by identity first. */
export interface OutboundTarget {
  readonly url: string;
  /** Whole URL if it is a secret; `url` is then its shown form. */
  readonly sealedUrl?: Sealed | undefined;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | Sealed>>;
  /** Timeout of the whole exchange, in ms. */
  readonly timeoutMs: number;
  /** Secret for signing the body; sealed before it is stored. Null for no signature. */
  readonly secret: string | Sealed | null;
}

/** Origin of requests, such as a pipeline, by which they are counted, listed and removed. */
export interface OutboundSource {
  readonly kind: "pipeline" | "alarm" | "notification";
  readonly id: string;
}

export interface OutboundRequest {
  readonly tenantId: TenantId;
  readonly source: OutboundSource;
  readonly target: OutboundTarget;
  /** Ordering key, such as a device's id; requests of a target with the same key are sent one after the other. */
  readonly orderKey: string;
  readonly body: string;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** At most one request per target with this key may be waiting or dead. */
  readonly dedupeKey?: string;
}

export type OutboundState = "WAITING" | "DEAD";

/** Waiting request or dead letter. */
export interface OutboundEntry {
  /** Id of the request, sent with each attempt. */
  readonly deliveryId: string;
  readonly source: OutboundSource;
  readonly url: string;
  readonly method: string;
  readonly orderKey: string;
  readonly state: OutboundState;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: Text | null;
  /** Epoch ms, like all times here. */
  readonly createdAt: number;
  readonly nextAttemptAt: number | null;
  readonly diedAt: number | null;
  readonly bytes: number;
}

export interface OutboundCounts {
  /** Number of delivered requests. */
  readonly sent: number;
  /** Total number of requests given up. */
  readonly died: number;
  readonly waiting: number;
  /** Number of kept dead letters. */
  readonly dead: number;
  readonly lastSentAt: number | null;
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
}

/** Response of a server, or the reason why there is none. */
export interface OutboundResponse {
  /** `null` without a response. */
  readonly status: number | null;
  readonly error: Text | null;
  /** First 200 printable characters of the response body, for operators of the gateway only. */
  readonly body: string;
  readonly durationMs: number;
}

export interface OutboundFilter {
  readonly source?: { readonly kind: OutboundSource["kind"]; readonly id?: string | undefined };
  readonly state?: OutboundState | undefined;
  /** Part of the URL. */
  readonly search?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}
