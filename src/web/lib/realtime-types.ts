// Messages of the live connection, as the server sends and takes them.
import type {
  ClientMessage,
  EventMessage,
  SubscriptionMessage,
} from "../../modules/realtime/realtime.types.ts";

export type { SnapshotMessage, TelemetryMessage } from "../../modules/realtime/realtime.types.ts";
export type RealtimeMessage = SubscriptionMessage;
export type DevicesMessage = EventMessage<"devices">;
export type SubscriptionSpec = Omit<Extract<ClientMessage, { type: "subscribe" }>, "type" | "id">;
