import type { DeviceId, TenantId } from "../../lib/core/ids.ts";

/** User name for devices that claim their credentials. */
export const PROVISION_USERNAME = "provision";
/** Prefix of passwords that are API keys. */
export const API_KEY_PREFIX = "lsk_";

/** Device or MQTT client that signs in. */
export type LoginOwner = { readonly tenantId: TenantId } & (
  | { readonly deviceId: DeviceId; readonly mqttClientId?: never }
  | { readonly mqttClientId: string; readonly deviceId?: never }
);

/** Name or certificate of an owner. */
export type Login =
  | { readonly kind: "NAME"; readonly clientId: string | null; readonly username: string | null }
  | { readonly kind: "CERTIFICATE"; readonly fingerprint: string };

/** Owner of a name or certificate, with the data to verify its sign-ins. */
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
  /** False to return `later` instead of waiting while too many passwords are being tried. */
  readonly canWait: boolean;
  /** Returns whether the client has disconnected, which makes the result irrelevant. */
  isGone(): boolean;
}

/** Holder that signed in, or the holders that were tried without success; `shared` if the password matches for several tenants. */
export type PasswordSignIn =
  | { readonly holder: LoginHolder; readonly refused?: never }
  | { readonly refused: "wrong" | "later" | "shared"; readonly tried: readonly LoginHolder[] };

export type CertificateSignIn =
  | { readonly holder: LoginHolder; readonly refused?: never }
  | { readonly refused: "unconfirmed"; readonly tried: readonly LoginHolder[] };

/** Returns client id and user name as a canonical string. */
export const loginName = (clientId: string | null, username: string | null): string =>
  JSON.stringify([clientId, username]);

// Created by `loginName`.
const partsOf = ({ value }: Pick<LoginHolder, "value">) =>
  JSON.parse(value) as [string | null, string | null];

export const loginUsername = (holder: Pick<LoginHolder, "value">): string | null => partsOf(holder)[1];

/** Returns the name of a refused client for lists: the user name, or else the client id. */
export function shownLogin(holder: Pick<LoginHolder, "value">): string {
  const [clientId, username] = partsOf(holder);
  return username ?? clientId ?? "";
}
