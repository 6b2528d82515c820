import type { DeviceId } from "../../lib/ids.ts";

/** Devices that want to make themselves known sign in under it. */
export const PROVISION_USERNAME = "provision";

export type CredentialsType = "ACCESS_TOKEN" | "MQTT_BASIC" | "X509";

/** Describes what a device signs in with that is not its access token. */
export interface OtherCredentials {
  readonly deviceId: DeviceId;
  readonly type: "MQTT_BASIC" | "X509";
  readonly clientId: string | null;
  readonly username: string | null;
  readonly passwordHash: string | null;
  readonly fingerprint: string | null;
  /** Epoch ms; null where only a fingerprint was given. */
  readonly validTo: number | null;
  readonly updatedAt: number;
}

/** Credentials as people see them: a password only in the answer that made it. */
export interface CredentialsView {
  readonly type: CredentialsType;
  readonly token?: string;
  readonly clientId?: string;
  readonly username?: string;
  readonly password?: string;
  readonly fingerprint?: string;
  /** ISO 8601. */
  readonly validTo?: string;
}

export type CredentialsChange =
  | { readonly type: "ACCESS_TOKEN"; readonly token?: string | undefined }
  | {
      readonly type: "MQTT_BASIC";
      readonly clientId?: string | undefined;
      readonly username?: string | undefined;
      /** One is made unless given. */
      readonly password?: string | undefined;
    }
  | {
      readonly type: "X509";
      readonly certificate?: string | undefined;
      readonly fingerprint?: string | undefined;
    };

/**
 * A device that signs in otherwise keeps a text in place of its token that no sign-in takes: `!` is no character of tokens. It
 * names the type, so that whoever has the device knows it.
 */
export const placeholderToken = (type: "MQTT_BASIC" | "X509", unique: string): string => `!${type}!${unique}`;

export function credentialsTypeOf({ token }: { readonly token: string }): CredentialsType {
  if (token.startsWith("!MQTT_BASIC!")) return "MQTT_BASIC";
  return token.startsWith("!X509!") ? "X509" : "ACCESS_TOKEN";
}

/** Client id and user name as one text; the same pair is the same text. */
export const identityOf = (clientId: string | null, username: string | null): string =>
  JSON.stringify([clientId, username]);
