import type { TenantId } from "../../lib/ids.ts";
import type { AlarmSeverity } from "../../lib/severity.ts";
import type { MailLanguage } from "../mail/mail.types.ts";
import type { Sealed } from "../outbound/outbound.types.ts";
import type { NotificationTrigger } from "./notifications.types.ts";

export const messengerKinds = ["TELEGRAM", "TEAMS", "SLACK", "NTFY", "GOTIFY"] as const;
export type MessengerKind = (typeof messengerKinds)[number];

/** Rules whose alarms a messenger gets: all that name no recipients and those that name it, or those that name it alone. */
export const ruleScopes = ["ALL", "NAMED"] as const;
export type RuleScope = (typeof ruleScopes)[number];

/** What the service needs besides its secret. A field that the kind does not have is empty. */
export interface MessengerFields {
  /** Base address of the server; for Teams and Slack the origin of the webhook address, which is the secret. */
  readonly server: string;
  /** Telegram: the chat. */
  readonly chatId: string;
  /** ntfy: the topic. */
  readonly topic: string;
}

/** Where the messages go; sealed where it holds the secret. */
export interface MessengerTarget {
  readonly url: string;
  readonly sealedUrl?: Sealed;
  readonly headers: Readonly<Record<string, Sealed>>;
}

/** A group, channel or topic of a messenger that gets each alarm once. */
export interface Messenger {
  readonly messengerId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly kind: MessengerKind;
  readonly isEnabled: boolean;
  readonly ruleScope: RuleScope;
  readonly language: MailLanguage;
  readonly severities: readonly AlarmSeverity[];
  readonly triggers: readonly NotificationTrigger[];
  readonly fields: MessengerFields;
  readonly target: MessengerTarget;
  /** Epoch ms, as `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A messenger as a client sends it; a secret that is left out keeps its value. */
export interface MessengerInput {
  readonly name?: string | undefined;
  readonly kind?: MessengerKind | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly ruleScope?: RuleScope | undefined;
  readonly language?: MailLanguage | undefined;
  readonly severities?: readonly AlarmSeverity[] | undefined;
  readonly triggers?: readonly NotificationTrigger[] | undefined;
  readonly server?: string | undefined;
  readonly chatId?: string | undefined;
  readonly topic?: string | undefined;
  readonly secret?: string | undefined;
}

/** What a message says. */
export interface MessengerMessage {
  readonly title: string;
  readonly text: string;
  readonly severity: AlarmSeverity;
  readonly isOver: boolean;
  /** Address of the alarm in the console, and the words for it; undefined if the gateway does not know its address. */
  readonly link: { readonly url: string; readonly label: string } | undefined;
}
