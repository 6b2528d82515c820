import { invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { toFingerprint } from "../../lib/network/certificate.ts";
import { randomToken } from "../../platform/core/ids.ts";
import type { CredentialsChange } from "../devices/credentials.types.ts";

/** Max. characters of a certificate. */
const HASH_LENGTH_MAX = 65_536;
const NAME_CHARACTERS_MAX = 256;
/** Random bytes in the name of an unnamed device. */
const NAME_BYTES = 9;
const TYPE_CHARACTERS_MAX = 128;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Validated request of a new device. */
export interface ClaimRequest {
  readonly deviceName: string;
  readonly key: string;
  readonly secret: string;
  readonly isGateway: boolean;
  readonly deviceType: string | undefined;
  /** Undefined to keep the device's existing credentials, or use an access token. */
  readonly credentials: CredentialsChange | undefined;
}

function textField(body: Record<string, unknown>, name: string, max: number): string | undefined {
  const value = body[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string" || value.length > max || CONTROL_CHARACTERS.test(value))
    throw invalid("claim.field_invalid", { name, max });
  return value;
}

function needed(body: Record<string, unknown>, name: string, max: number): string {
  const text = textField(body, name, max);
  if (text === undefined || text.trim() === "") throw invalid("claim.field_missing", { name });
  return text;
}

/** Parses PEM, its bare base64 in one line, or a fingerprint. */
function certificateOf(hash: unknown): CredentialsChange {
  if (typeof hash !== "string" || hash.length > HASH_LENGTH_MAX)
    throw invalid("claim.hash_missing", { max: HASH_LENGTH_MAX });
  if (toFingerprint(hash) !== undefined) return { type: "X509", fingerprint: hash };
  if (hash.includes("BEGIN CERTIFICATE")) return { type: "X509", certificate: hash };
  const lines = hash.replace(/\s/g, "").match(/.{1,64}/g) ?? [];
  const certificate = `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----`;
  return { type: "X509", certificate };
}

function credentialsOf(body: Record<string, unknown>): CredentialsChange | undefined {
  const type = textField(body, "credentialsType", 64);
  switch (type) {
    case undefined:
      return body.token === undefined
        ? undefined
        : credentialsOf({ ...body, credentialsType: "ACCESS_TOKEN" });
    case "ACCESS_TOKEN": {
      const token = textField(body, "token", 128);
      if (token !== undefined && !/^[A-Za-z0-9._~-]{20,128}$/.test(token))
        throw invalid("claim.token_invalid");
      return token === undefined ? undefined : { type, token };
    }
    case "MQTT_BASIC": {
      const password = textField(body, "password", 256);
      if (password !== undefined && password.length < 8) throw invalid("claim.password_short");
      const username = textField(body, "username", 128);
      const clientId = textField(body, "clientId", 128);
      return { type, username, clientId, password };
    }
    case "X509":
    case "X509_CERTIFICATE":
      return certificateOf(body.hash);
    default:
      throw invalid("claim.type_unknown");
  }
}

/** @throws DomainError `invalid` */
export function parseClaim(body: unknown): ClaimRequest {
  if (!isJsonObject(body)) throw invalid("claim.body_invalid");
  return {
    deviceName: textField(body, "deviceName", NAME_CHARACTERS_MAX) ?? `device-${randomToken(NAME_BYTES)}`,
    key: needed(body, "provisionDeviceKey", 128),
    secret: needed(body, "provisionDeviceSecret", 128),
    isGateway: body.gateway === true,
    deviceType: textField(body, "deviceType", TYPE_CHARACTERS_MAX),
    credentials: credentialsOf(body),
  };
}
