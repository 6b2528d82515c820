import type { DeviceId, TenantId } from "../../lib/ids.ts";

/** Devices that want to make themselves known sign in under it. */
export const PROVISION_USERNAME = "provision";
/** A sign-in with a password that begins so is one with an API key. */
export const API_KEY_PREFIX = "lsk_";

/** The device or MQTT client that signs in. */
export type LoginOwner = { readonly tenantId: TenantId } & (
  | { readonly deviceId: DeviceId; readonly mqttClientId?: never }
  | { readonly mqttClientId: string; readonly deviceId?: never }
);

/** A name or certificate; its owner has one. */
export type Login =
  | { readonly kind: "NAME"; readonly clientId: string | null; readonly username: string | null }
  | { readonly kind: "CERTIFICATE"; readonly fingerprint: string };

/** An owner of a name or certificate, with what decides whether a sign-in is its own. */
export interface LoginHolder {
  readonly ownerId: string;
  readonly deviceId: DeviceId | null;
  readonly mqttClientId: string | null;
  readonly tenantId: TenantId;
  readonly value: string;
  readonly passwordHash: string | null;
  readonly isEnabled: boolean;
  readonly since: number;
  readonly confirmedAt: number | null;
}

export interface PasswordAttempt {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Uint8Array;
  readonly address: string;
  /** The client has gone: nobody waits for the answer. */
  isGone(): boolean;
}

/** Who signed in, or who was tried in vain. */
export type PasswordSignIn =
  | { readonly holder: LoginHolder; readonly refused?: never }
  | { readonly refused: "wrong" | "later"; readonly tried: readonly LoginHolder[] };

export type CertificateSignIn =
  | { readonly holder: LoginHolder; readonly refused?: never }
  | { readonly refused: "unconfirmed"; readonly tried: readonly LoginHolder[] };

/** Client id and user name as one text; the same pair is the same text. */
export const loginName = (clientId: string | null, username: string | null): string =>
  JSON.stringify([clientId, username]);

// Written by `loginName`.
const partsOf = ({ value }: Pick<LoginHolder, "value">) =>
  JSON.parse(value) as [string | null, string | null];

export const loginUsername = (holder: Pick<LoginHolder, "value">): string | null => partsOf(holder)[1];

/** What a refused client is called in lists: the user name, or the client id if there is none. */
export function shownLogin(holder: Pick<LoginHolder, "value">): string {
  const [clientId, username] = partsOf(holder);
  return username ?? clientId ?? "";
}
