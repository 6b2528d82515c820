import type { DeviceId } from "../../lib/core/ids.ts";

export type CredentialsType = "ACCESS_TOKEN" | "MQTT_BASIC" | "X509";

/** Credentials of a device other than its access token. */
export interface OtherCredentials {
  readonly deviceId: DeviceId;
  readonly type: "MQTT_BASIC" | "X509";
  readonly clientId: string | null;
  readonly username: string | null;
  readonly passwordHash: string | null;
  readonly fingerprint: string | null;
  /** Epoch ms; null if only a fingerprint was given. */
  readonly validTo: number | null;
  readonly updatedAt: number;
}

/** Credentials as shown to users, with the password only in the response that created it. */
export interface CredentialsView {
  readonly type: CredentialsType;
  readonly token?: string;
  readonly clientId?: string;
  readonly username?: string;
  readonly password?: string;
  readonly fingerprint?: string;
  /** ISO 8601. */
  readonly validTo?: string;
  /** X509 only: whether a connection has proven that the certificate belongs to the device. */
  readonly confirmed?: boolean;
}

export type CredentialsChange =
  | { readonly type: "ACCESS_TOKEN"; readonly token?: string | undefined }
  | {
      readonly type: "MQTT_BASIC";
      readonly clientId?: string | undefined;
      readonly username?: string | undefined;
      /** Random by default. */
      readonly password?: string | undefined;
    }
  | {
      readonly type: "X509";
      readonly certificate?: string | undefined;
      readonly fingerprint?: string | undefined;
    };

/**
 * Returns the placeholder token of a device that signs in by other means, which no sign-in accepts: `!` does not occur in tokens. It contains the
 * type for readers of the device.
 */
export const placeholderToken = (type: "MQTT_BASIC" | "X509", unique: string): string => `!${type}!${unique}`;

export function credentialsTypeOf({ token }: { readonly token: string }): CredentialsType {
  if (token.startsWith("!MQTT_BASIC!")) return "MQTT_BASIC";
  return token.startsWith("!X509!") ? "X509" : "ACCESS_TOKEN";
}
