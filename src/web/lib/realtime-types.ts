// Messages of the live connection, as the server sends and takes them.
import type { Text } from "../../lib/texts/text.ts";
import type {
  ClientMessage,
  EventMessage,
  SnapshotMessage,
  SubscriptionMessage,
} from "../../modules/realtime/realtime.types.ts";

export type { SnapshotMessage, TelemetryMessage } from "../../modules/realtime/realtime.types.ts";
export type RealtimeMessage = SubscriptionMessage;
export type DevicesMessage = EventMessage<"devices">;
export type SubscriptionSpec = Omit<Extract<ClientMessage, { type: "subscribe" }>, "type" | "id">;

/** Refused subscription, for instance one beyond a limit. */
export interface Refusal extends Text {
  /** English. */
  readonly message: string;
}

/** Every message of the server. `gap` means that events were left out for a slow client. */
export type ServerMessage =
  | { readonly type: "ready" | "pong" | "gap" }
  | (Refusal & { readonly type: "error" })
  | SnapshotMessage
  | Exclude<SubscriptionMessage, SnapshotMessage>;
