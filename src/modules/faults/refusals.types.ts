import type { RefusalEdge } from "../../lib/alarms/fault-sources.ts";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import type { Peer } from "../api/request-peer.ts";

/** Reasons for refusing a credential. The texts are `refusal.<reason>`; some have a hint in `refusal_hint.<reason>`. */
export const REFUSAL_REASONS = [
  "certificate_expired",
  "certificate_unconfirmed",
  "certificate_wrong",
  "claim_closed",
  "claim_device_unexpected",
  "claim_device_in_use",
  "claim_invalid",
  "claim_key_wrong",
  "client_disabled",
  "connection_limit",
  "credential_missing",
  "download_link_invalid",
  "external_refused",
  "external_unverified",
  "key_expired",
  "key_stopped",
  "key_wrong",
  "metrics_token_wrong",
  "password_expired",
  "password_shared",
  "password_wrong",
  "protocol_level_unknown",
  "second_factor_wrong",
  "email_link_invalid",
  "reset_link_invalid",
  "secret_wrong",
  "session_ended",
  "session_expired",
  "session_token_wrong",
  "setup_link_invalid",
  "sign_in_expired",
  "subscription_limit",
  "token_wrong",
  "too_many_tries",
  "user_disabled",
  "user_unknown",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

const CODE = "refusal.";

/** Returns whether a fault is a refused credential. */
export const isRefusal = (code: string): boolean => code.startsWith(CODE);

export const reasonOf = (code: string): string => code.slice(CODE.length);

export const IDENTITY_KINDS = [
  "none",
  "client",
  /** User name or client id that exists in several tenants. Tenants do not see whose client it was. */
  "shared_name",
  "token",
  "certificate",
  "api_key",
  "user",
  "session",
  "tenant",
  "claim",
  /** Placeholder for further identities of an address that has used many. */
  "others",
] as const;
export type IdentityKind = (typeof IDENTITY_KINDS)[number];

/** Identity of a refused client without secrets: of a token or key only its beginning. */
export interface PresentedIdentity {
  readonly kind: IdentityKind;
  readonly name: string;
}

/** Owner of the refused identity, if verified. */
export interface RefusalOwner {
  readonly tenantId?: TenantId | undefined;
  readonly deviceId?: DeviceId | undefined;
  readonly userId?: UserId | undefined;
  readonly mqttClientId?: string | undefined;
}

/** Refused credential, with the data that its checker knows. */
export interface RefusedCredential {
  readonly reason: RefusalReason;
  readonly identity: PresentedIdentity;
  readonly owner?: RefusalOwner;
}

/** One refused credential. */
export interface Refusal extends RefusalOwner, Peer {
  readonly edge: RefusalEdge;
  readonly reason: RefusalReason;
  readonly identity: PresentedIdentity;
}

export type ReportRefusal = (refusal: Refusal) => void;
