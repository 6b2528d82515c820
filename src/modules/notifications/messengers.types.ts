import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { Sealed } from "../outbound/outbound.types.ts";

export const MESSENGER_KINDS = ["TELEGRAM", "TEAMS", "SLACK", "NTFY", "GOTIFY"] as const;
export type MessengerKind = (typeof MESSENGER_KINDS)[number];

/** Rules whose alarms a messenger gets: those without recipients and those that name it, or only those that name it. */
export const RULE_SCOPES = ["ALL", "NAMED"] as const;

/** Fields of the service except its secret. Fields that the kind does not have are empty. */
export interface MessengerFields {
  /** Base URL of the server; for Teams and Slack the origin of the webhook URL, which is the secret. */
  readonly server: string;
  /** Telegram: id of the chat. */
  readonly chatId: string;
  /** ntfy: name of the topic. */
  readonly topic: string;
}

/** Destination of the messages; sealed if it contains the secret. */
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
  /** URL and label of the alarm in the console; undefined if the gateway does not know its URL. */
  readonly link: { readonly url: string; readonly label: string } | undefined;
}
