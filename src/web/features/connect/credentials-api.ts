import { call, get, post } from "../../platform/api-client.ts";

export const SIGN_INS = ["ACCESS_TOKEN", "MQTT_BASIC", "X509"] as const;
export type SignInType = (typeof SIGN_INS)[number];

/** What a device signs in with; a password only in the answer that made it. */
export interface Credentials {
  readonly type: SignInType;
  readonly token?: string;
  readonly username?: string;
  readonly clientId?: string;
  readonly password?: string;
  readonly fingerprint?: string;
  /** ISO 8601. */
  readonly validTo?: string;
}

/** What is left out is made by the service. */
export type CredentialsForm = Omit<Credentials, "validTo"> & { readonly certificate?: string };

const path = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/credentials`;

export const AUTHORITY_PATH = "/api/v1/connectivity/ca.pem";

export const credentialsApi = {
  get: (deviceId: string) => get<Credentials>(path(deviceId)),
  set: async (deviceId: string, form: CredentialsForm) =>
    (await call<Credentials>("PUT", path(deviceId), form)).body,
  rotate: (deviceId: string) => post<Credentials>(`${path(deviceId)}/rotate`),
};
