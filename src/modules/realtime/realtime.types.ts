import type { DeviceId } from "../../lib/ids.ts";
import type { Peer } from "../request-peer.ts";

export const realtimeTopics = ["telemetry", "attributes", "alarms", "devices", "commands", "events"] as const;
export type RealtimeTopic = (typeof realtimeTopics)[number];

/** Describes what a client may send (JSON text frames). */
export type ClientMessage =
  | { readonly type: "auth"; readonly token: string }
  | {
      readonly type: "subscribe";
      readonly id: string;
      readonly topics: readonly RealtimeTopic[];
      readonly deviceIds?: readonly string[];
      readonly keys?: readonly string[];
    }
  | { readonly type: "unsubscribe"; readonly id: string }
  | { readonly type: "ping" };

/** A connected reader as the hub sees it. */
export interface RealtimeSocket {
  readonly peer: Peer;
  send(text: string): void;
  /** Bytes handed over that the peer has not read yet. */
  bufferedBytes(): number;
  close(code: number, reason: string): void;
}

export interface Subscription {
  readonly id: string;
  readonly topics: ReadonlySet<RealtimeTopic>;
  /** Undefined: every device that the reader may see. */
  readonly deviceIds: ReadonlySet<DeviceId> | undefined;
  /** Undefined: every key. */
  readonly keys: ReadonlySet<string> | undefined;
}

/** Describes what is told beside telemetry; of one device, but for the end of a job's run. */
export interface RealtimeEvent {
  readonly deviceId?: DeviceId;
  readonly [field: string]: unknown;
}

/** Close codes of the application range (RFC 6455, 7.4.2). */
export const closeCodes = {
  unauthorized: 4401,
  changed: 1012,
  protocol: 4400,
  tooMany: 4429,
  tooLarge: 1009,
  shutdown: 1001,
} as const;
