import type { DeviceId, ProfileId } from "../../lib/core/ids.ts";
import { guessKeyMetadata } from "../../lib/keys/key-guess.ts";
import { KEYS_MAX, type KeyMetadata } from "../../lib/keys/key-metadata.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { TelemetryStore } from "./store/store.types.ts";

/** Max. newest values per read of samples, and max. devices from which they are read. */
const SAMPLED_VALUES_MAX = 20_000;
const SAMPLED_DEVICES_MAX = 500;
/** Max. characters of a sampled string. */
const SAMPLE_CHARACTERS_MAX = 100;

/** Max. keys and states in a response, which take some megabytes. */
const RESPONSE_WEIGHT_MAX = 20_000;

interface SentKey {
  readonly key: string;
  /** Newest value of one of the devices. */
  readonly sample: number | boolean | string | null;
  readonly suggestion?: Omit<KeyMetadata, "key">;
}

const sampleOf = (value: unknown): SentKey["sample"] => {
  if (typeof value === "string") return value.slice(0, SAMPLE_CHARACTERS_MAX);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
};

/** Looks up the metadata of devices' keys, and suggests the keys that devices send. */
export function createKeyLookup(deps: {
  store: Pick<TelemetryStore, "latestScalars" | "keys">;
  devices: Pick<DevicesService, "profilesOf" | "listIds">;
  profiles: Pick<ProfilesService, "get" | "keysOf">;
}) {
  const { store, devices, profiles } = deps;

  function devicesOf(principal: Principal, profileId: string): DeviceId[] {
    const { tenantId, devices: visible } = principal;
    return devices
      .listIds(tenantId)
      .filter(
        (device) => device.profileId === profileId && (visible === "all" || visible.has(device.deviceId)),
      )
      .map(({ deviceId }) => deviceId);
  }

  /** Returns a value per key, from the most recently created device that has one. */
  async function samplesOf(deviceIds: readonly DeviceId[], keys: readonly string[], signal?: AbortSignal) {
    const samples = new Map<string, SentKey["sample"]>();
    for (let end = deviceIds.length; end > 0 && samples.size < keys.length; ) {
      const missing = keys.filter((key) => !samples.has(key));
      const count = Math.min(SAMPLED_DEVICES_MAX, Math.ceil(SAMPLED_VALUES_MAX / missing.length));
      const group = deviceIds.slice(Math.max(0, end - count), end);
      for await (const snapshots of store.latestScalars(group, missing, signal))
        for (const { values } of snapshots)
          for (const [key, value] of Object.entries(values)) samples.set(key, sampleOf(value));
      end -= count;
    }
    return samples;
  }

  return {
    /**
     * Returns the metadata of each profile once, even if several devices share it. Devices whose profiles did not fit into the response are returned
     * as its rest.
     */
    resolve(principal: Principal, deviceIds: readonly string[], only?: ReadonlySet<string>) {
      const profileOf = devices.profilesOf(principal, [...new Set(deviceIds)]);
      const { tenantId } = principal;
      const isNamed = ({ key }: KeyMetadata) => only?.has(key) ?? true;
      /** Metadata by profile, limited to the room in the response. */
      const answered = new Map<ProfileId, KeyMetadata[]>();
      let weight = 0;
      for (const profileId of new Set(profileOf.values())) {
        if (weight >= RESPONSE_WEIGHT_MAX) break;
        const keyMetadata = [...profiles.keysOf(tenantId, profileId).values()].filter(isNamed);
        answered.set(profileId, keyMetadata);
        for (const { states } of keyMetadata) weight += 1 + (states?.length ?? 0);
      }
      const entries = [...profileOf].map(([deviceId, profileId]) => ({ deviceId, profileId }));
      const rest = entries.filter(({ profileId }) => !answered.has(profileId));
      return {
        devices: entries.filter(({ profileId }) => answered.has(profileId)),
        profiles: [...answered].map(([profileId, keyMetadata]) => ({ profileId, keyMetadata })),
        ...(rest.length > 0 && { rest: rest.map(({ deviceId }) => deviceId) }),
      };
    },
    /** @throws DomainError `profile.not_found` */
    async suggest(principal: Principal, profileId: string, signal?: AbortSignal): Promise<SentKey[]> {
      profiles.get(principal, profileId);
      const deviceIds = devicesOf(principal, profileId);
      const keys = (await store.keys({ deviceIds }, signal)).sort().slice(0, KEYS_MAX);
      const samples = await samplesOf(deviceIds, keys, signal);
      return keys.map((key) => {
        const sample = samples.get(key) ?? null;
        const suggestion = guessKeyMetadata(key, sample);
        return { key, sample, ...(suggestion !== undefined && { suggestion }) };
      });
    },
  };
}

export type KeyLookup = ReturnType<typeof createKeyLookup>;
