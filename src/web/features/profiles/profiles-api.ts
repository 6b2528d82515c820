import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { profileBody } from "../../../modules/profiles/profiles.schemas.ts";
import type { provisioningBody } from "../../../modules/provisioning/provisioning.schemas.ts";
import type { sentKeyBody } from "../../../modules/telemetry/key-lookup.schemas.ts";
import type { JsonValue, Refined, Wire } from "../../lib/wire.ts";
import { ApiError, get, patch, post, put, remove } from "../../platform/api-client.ts";

/** Responses leave out unset fields. */
type ProfileResponse = Refined<Wire<typeof profileBody>, { readonly keyMetadata?: readonly KeyMetadata[] }>;
type Nullable =
  | "inactivityTimeoutMs"
  | "retentionDays"
  | "telemetryTopic"
  | "messagesPerSecond"
  | "messagesBurst";
/** Null: the setting of the gateway or of the site's plan applies. */
export type Profile = Refined<
  ProfileResponse,
  { [Key in Nullable]: NonNullable<ProfileResponse[Key]> | null }
>;
export type ProfileForm = Omit<
  Profile,
  "profileId" | "alarmRules" | "keyMetadata" | "deviceCount" | "createdAt" | "updatedAt"
>;
type ProfileChanges = Partial<ProfileForm> & { readonly alarmRules?: readonly JsonValue[] };
/** A key that devices of a profile send, and the possible meanings of its values. */
export type SentKey = Refined<Wire<typeof sentKeyBody>, { readonly suggestion?: Omit<KeyMetadata, "key"> }>;
interface KeyList {
  readonly keyMetadata: readonly KeyMetadata[];
}
/** Provisioning settings of a profile, with which devices register themselves. */
export type Provisioning = Wire<typeof provisioningBody>;
export type ProvisioningMode = Provisioning["mode"];

export const MODES = [
  "DISABLED",
  "CHECK_PRE_PROVISIONED",
  "ALLOW_NEW",
] as const satisfies readonly ProvisioningMode[];

const BASE = "/api/device-profiles";
const DEFAULTS = "/api/key-metadata/defaults";
const profile = (id: string) => `${BASE}/${encodeURIComponent(id)}`;
const whole = (response: ProfileResponse): Profile => ({
  inactivityTimeoutMs: null,
  retentionDays: null,
  telemetryTopic: null,
  messagesPerSecond: null,
  messagesBurst: null,
  ...response,
});

export const profilesApi = {
  list: async () => (await get<ProfileResponse[]>(`${BASE}?limit=10000`)).map(whole),
  get: async (id: string) => whole(await get<ProfileResponse>(profile(id))),
  create: async (form: ProfileForm) => whole(await post<ProfileResponse>(BASE, form)),
  /** Changes the version that the caller has read; fails with 412 if somebody has changed the profile since. */
  update: async (
    { profileId, updatedAt }: Pick<Profile, "profileId" | "updatedAt">,
    changes: ProfileChanges,
  ) => whole(await patch<ProfileResponse>(profile(profileId), changes, updatedAt)),
  provisioning: (id: string) => get<Provisioning>(`${profile(id)}/provisioning`),
  setProvisioning: (id: string, mode: ProvisioningMode) =>
    put<Provisioning>(`${profile(id)}/provisioning`, { mode }),
  rotateProvisioning: (id: string) => post<Provisioning>(`${profile(id)}/provisioning/rotate`),
  keys: async (id: string) => (await get<ProfileResponse & KeyList>(profile(id))).keyMetadata,
  setKeys: async (id: string, keyMetadata: readonly KeyMetadata[]) =>
    (await patch<ProfileResponse & KeyList>(profile(id), { keyMetadata })).keyMetadata,
  sentKeys: (id: string) => get<SentKey[]>(`${profile(id)}/key-suggestions`),
  defaultKeys: async () => (await get<KeyList>(DEFAULTS)).keyMetadata,
  setDefaultKeys: async (keyMetadata: readonly KeyMetadata[]) =>
    (await put<KeyList>(DEFAULTS, { keyMetadata })).keyMetadata,
  delete: (id: string) => remove(profile(id)),
};

const ATTEMPTS_MAX = 5;

/** Changes a part of the newest version of a profile, even if others change it at the same time. */
export async function changeProfile(
  profileId: string,
  change: (profile: Profile) => ProfileChanges,
): Promise<Profile> {
  for (let attempt = 1; ; attempt++) {
    const current = await profilesApi.get(profileId);
    try {
      return await profilesApi.update(current, change(current));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}
