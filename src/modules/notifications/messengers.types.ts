import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { Sealed } from "../outbound/outbound.types.ts";

export const MESSENGER_KINDS = ["TELEGRAM", "TEAMS", "SLACK", "NTFY", "GOTIFY"] as const;
export type MessengerKind = (typeof MESSENGER_KINDS)[number];

/** Rules whose alarms a messenger gets: all that name no recipients and those that name it, or those that name it alone. */
export const RULE_SCOPES = ["ALL", "NAMED"] as const;

/** Fields of the service other than its secret. A field that the kind does not have is empty. */
export interface MessengerFields {
  /** Base address of the server; for Teams and Slack the origin of the webhook address, which is the secret. */
  readonly server: string;
  /** Telegram: the chat. */
  readonly chatId: string;
  /** ntfy: the topic. */
  readonly topic: string;
}

/** Destination of the messages; sealed where it holds the secret. */
export interface MessengerTarget {
  readonly url: string;
  readonly sealedUrl?: Sealed;
  readonly headers: Readonly<Record<string, Sealed>>;
}

export interface MessengerMessage {
  readonly title: string;
  readonly text: string;
  readonly severity: AlarmSeverity;
  readonly isOver: boolean;
  /** Address of the alarm in the console, and the words for it; undefined if the gateway does not know its address. */
  readonly link: { readonly url: string; readonly label: string } | undefined;
}
