import type { JsonValue } from "../../lib/api-types.ts";
import { call, get, post } from "../../platform/api-client.ts";

export type Payload = "AUTO" | "JSON" | "CBOR";

/** What a person may set; null: as the gateway or the site's plan says. */
export interface ProfileForm {
  readonly name: string;
  readonly description: string;
  readonly isDefault: boolean;
  readonly inactivityTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly retentionDays: number | null;
  readonly telemetryTopic: string | null;
  readonly payload: Payload;
  readonly createsChildren: boolean;
  readonly sessionsMax: number;
  readonly messagesPerSecond: number | null;
  readonly messagesBurst: number | null;
}

type Nullable = "retentionDays" | "telemetryTopic" | "messagesPerSecond" | "messagesBurst";
/** Answers leave out what is not set. */
type ProfileAnswer = Omit<ProfileForm, Nullable> &
  Partial<Pick<ProfileForm, Nullable>> & {
    readonly profileId: string;
    readonly alarmRules: readonly unknown[];
  };
export type Profile = ProfileForm & { readonly profileId: string; readonly alarmRules: readonly unknown[] };

export const MODES = ["DISABLED", "CHECK_PRE_PROVISIONED", "ALLOW_NEW"] as const;
export type ProvisioningMode = (typeof MODES)[number];

/** How devices of a profile make themselves known. */
export interface Provisioning {
  readonly mode: ProvisioningMode;
  readonly key?: string;
  readonly secret?: string;
}

const BASE = "/api/device-profiles";
const profile = (id: string) => `${BASE}/${encodeURIComponent(id)}`;
const whole = (answer: ProfileAnswer): Profile => ({
  retentionDays: null,
  telemetryTopic: null,
  messagesPerSecond: null,
  messagesBurst: null,
  ...answer,
});

export const profilesApi = {
  list: async () => (await get<ProfileAnswer[]>(`${BASE}?limit=10000`)).map(whole),
  get: async (id: string) => whole(await get<ProfileAnswer>(profile(id))),
  setRules: async (id: string, alarmRules: readonly JsonValue[]) =>
    whole((await call<ProfileAnswer>("PATCH", profile(id), { alarmRules })).body),
  create: async (form: ProfileForm) => whole(await post<ProfileAnswer>(BASE, form)),
  update: async (id: string, changes: Partial<ProfileForm>) =>
    whole((await call<ProfileAnswer>("PATCH", profile(id), changes)).body),
  provisioning: (id: string) => get<Provisioning>(`${profile(id)}/provisioning`),
  setProvisioning: async (id: string, mode: ProvisioningMode) =>
    (await call<Provisioning>("PUT", `${profile(id)}/provisioning`, { mode })).body,
  rotateProvisioning: (id: string) => post<Provisioning>(`${profile(id)}/provisioning/rotate`),
  delete: (id: string) => call<unknown>("DELETE", profile(id)),
};
