import type { credentialsDetail } from "../../../modules/devices/credentials.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, put } from "../../platform/api-client.ts";

/** Credentials of a device. Only the response that generated a password contains it. */
export type Credentials = Wire<typeof credentialsDetail>;
export type SignInType = Credentials["type"];

export const SIGN_INS = ["ACCESS_TOKEN", "MQTT_BASIC", "X509"] as const satisfies readonly SignInType[];
/** Typed credentials. The service generates missing parts. */
export type CredentialsForm = Omit<Credentials, "validTo" | "confirmed"> & { readonly certificate?: string };

const path = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/credentials`;

export const AUTHORITY_PATH = "/api/v1/connectivity/ca.pem";

export const credentialsApi = {
  get: (deviceId: string) => get<Credentials>(path(deviceId)),
  set: (deviceId: string, form: CredentialsForm) => put<Credentials>(path(deviceId), form),
  rotate: (deviceId: string) => post<Credentials>(`${path(deviceId)}/rotate`),
};
