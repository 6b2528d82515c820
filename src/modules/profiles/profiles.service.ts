import { defined } from "../../lib/defined.ts";
import { conflict, detail, invalid, notFound } from "../../lib/domain-error.ts";
import type { ProfileId, TenantId } from "../../lib/ids.ts";
import { invariant } from "../../lib/invariant.ts";
import { KEYS_MAX, type KeyMetadata, type KeyMetadataMap } from "../../lib/key-metadata.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { checkDeviceRequests } from "./device-requests.ts";
import type { KeyMetadataService } from "./key-metadata.service.ts";
import { parseKeyMetadata } from "./parse-key-metadata.ts";
import type { ProfilesRepository } from "./profiles.repository.ts";
import {
  type DeviceProfile,
  type ProfileChanges,
  type ProfileWithKeys,
  profileDefaults,
} from "./profiles.types.ts";

/** `before`: the rules that they replace. */
export type CheckAlarmRules = (
  tenantId: TenantId,
  rules: readonly unknown[],
  before: readonly unknown[],
) => void;

interface ProfilesServiceDeps {
  readonly repository: ProfilesRepository;
  readonly keys: Pick<KeyMetadataService, "ofProfile" | "saveOfProfile" | "of">;
  readonly transact: (work: () => void) => void;
  /** Throws `invalid` that names the part that is wrong. */
  readonly checkAlarmRules: CheckAlarmRules;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
}

/** Returns the checked metadata of a request; undefined if it has none. */
const parseGiven = (input: unknown): KeyMetadata[] | undefined =>
  input === undefined ? undefined : parseKeyMetadata(input);

const newProfile = (
  tenantId: TenantId,
  changes: Omit<ProfileChanges, "keyMetadata"> & { name: string },
  now: number,
): DeviceProfile => ({
  ...profileDefaults,
  ...defined(changes),
  name: changes.name,
  profileId: newId<ProfileId>(),
  tenantId,
  createdAt: now,
  updatedAt: now,
});

function checkRules(
  { checkAlarmRules }: Pick<ProfilesServiceDeps, "checkAlarmRules">,
  tenantId: TenantId,
  { alarmRules = [], deviceRequests = [] }: ProfileChanges,
  before: readonly unknown[] = [],
): void {
  checkAlarmRules(tenantId, alarmRules, before);
  checkDeviceRequests(deviceRequests);
}

function createLookup(repository: Pick<ProfilesRepository, "find" | "findDefault">) {
  return {
    get(tenantId: TenantId, profileId: string): DeviceProfile {
      const profile = repository.find(tenantId, profileId as ProfileId); // a wrong id is simply not found
      if (profile === undefined) throw notFound("profile.not_found");
      return profile;
    },
    ensureDefault(tenantId: TenantId): DeviceProfile {
      const profile = repository.findDefault(tenantId);
      invariant(profile !== undefined, "every tenant has a default profile");
      return profile;
    },
  };
}

function withAnnounced(
  present: readonly KeyMetadata[],
  announced: readonly { readonly metadata: KeyMetadata; readonly before?: KeyMetadata | undefined }[],
): KeyMetadata[] {
  const described = new Map(present.map((entry) => [entry.key, entry]));
  for (const { metadata, before } of announced) {
    const entry = described.get(metadata.key);
    const isRoom = entry !== undefined || described.size < KEYS_MAX;
    if (isRoom && (entry === undefined || Bun.deepEquals(entry, before)))
      described.set(metadata.key, metadata);
  }
  return [...described.values()];
}

/** Device profiles: what devices of a kind have in common. Every tenant has exactly one default. */
function ensureNameFree(
  { findByName }: Pick<ProfilesRepository, "findByName">,
  profile: DeviceProfile,
): void {
  const namesake = findByName(profile.tenantId, profile.name);
  if (namesake !== undefined && namesake.profileId !== profile.profileId)
    throw conflict("profile.name_taken");
}

interface AnnouncedKey {
  readonly metadata: KeyMetadata;
  readonly before?: KeyMetadata | undefined;
}

/**
 * Returns what adds metadata of keys that a profile does not have, and replaces what it has as it was announced before. The default profile has
 * devices of many kinds, and stays as it is.
 */
const keyDescription =
  (
    { keys, events }: Pick<ProfilesServiceDeps, "keys" | "events">,
    ensureDefault: (tenantId: TenantId) => DeviceProfile,
  ) =>
  (tenantId: TenantId, profileId: ProfileId, announced: readonly AnnouncedKey[]): void => {
    if (ensureDefault(tenantId).profileId === profileId) return;
    const present = keys.ofProfile(profileId);
    const described = withAnnounced(present, announced);
    if (described.length === present.length && described.every((entry, index) => entry === present[index]))
      return;
    keys.saveOfProfile(profileId, parseKeyMetadata(described));
    events.emit("key-metadata.changed", { tenantId });
  };

export function createProfilesService(deps: ProfilesServiceDeps) {
  const { repository, keys, clock, events } = deps;
  const { get, ensureDefault } = createLookup(repository);

  const withKeys = (profile: DeviceProfile): ProfileWithKeys => ({
    ...profile,
    keyMetadata: keys.ofProfile(profile.profileId),
  });

  /** Writes a profile and the metadata of its keys together. */
  function save(
    write: "insert" | "update",
    profile: DeviceProfile,
    metadata: readonly KeyMetadata[] | undefined,
  ): ProfileWithKeys {
    deps.transact(() => {
      repository[write](profile);
      if (profile.isDefault) repository.setOnlyDefault(profile.tenantId, profile.profileId);
      if (metadata !== undefined) keys.saveOfProfile(profile.profileId, metadata);
    });
    return withKeys(profile);
  }

  function insert(
    tenantId: TenantId,
    { keyMetadata, ...changes }: ProfileChanges & { name: string },
  ): ProfileWithKeys {
    const metadata = parseGiven(keyMetadata);
    if (repository.findByName(tenantId, changes.name) !== undefined) throw conflict("profile.name_taken");
    return save("insert", newProfile(tenantId, changes, clock.now()), metadata);
  }

  return {
    list: ({ tenantId }: Principal): DeviceProfile[] => repository.list(tenantId),
    get: ({ tenantId }: Principal, profileId: string): ProfileWithKeys => withKeys(get(tenantId, profileId)),
    /** Writing is `forbidden` without access to all devices: a profile is of devices that the caller may not see, too. */
    create(principal: Principal, profile: ProfileChanges & { name: string }): ProfileWithKeys {
      ensureAllDevices(principal, detail("action.create_device_profiles"));
      checkRules(deps, principal.tenantId, profile);
      return insert(principal.tenantId, profile);
    },
    update(
      principal: Principal,
      profileId: string,
      { keyMetadata, ...changes }: ProfileChanges,
    ): ProfileWithKeys {
      const { tenantId } = principal;
      ensureAllDevices(principal, detail("action.change_device_profiles"));
      const current = get(tenantId, profileId);
      checkRules(deps, tenantId, changes, current.alarmRules);
      const metadata = parseGiven(keyMetadata);
      if (current.isDefault && changes.isDefault === false) throw invalid("profile.default_needed");
      const profile = { ...current, ...defined(changes), updatedAt: clock.now() };
      ensureNameFree(repository, profile);
      const saved = save("update", profile, metadata);
      // Devices and alarm rules do not depend on key metadata.
      if (Object.keys(defined(changes)).length > 0)
        events.emit("profile.changed", { tenantId, profileId: profile.profileId });
      if (metadata !== undefined) events.emit("key-metadata.changed", { tenantId });
      return saved;
    },
    delete(principal: Principal, profileId: string): void {
      ensureAllDevices(principal, detail("action.delete_device_profiles"));
      const { tenantId, ...profile } = get(principal.tenantId, profileId);
      if (profile.isDefault) throw conflict("profile.is_default");
      if (repository.countDevices(profile.profileId) > 0) throw conflict("profile.in_use");
      repository.delete(tenantId, profile.profileId);
    },
    /** Returns the tenant's profile by id, or its default one without an id, for other modules. */
    ensure: (tenantId: TenantId, profileId?: string): DeviceProfile =>
      profileId === undefined ? ensureDefault(tenantId) : get(tenantId, profileId),
    /** Returns the metadata of telemetry keys that is in effect for devices of the profile. */
    keysOf: (tenantId: TenantId, profileId: ProfileId): KeyMetadataMap => keys.of(tenantId, profileId),
    /** Returns the profile that has the name of the device type, or the default one, for devices that claim. */
    forType: (tenantId: TenantId, deviceType: string): DeviceProfile =>
      repository.findByName(tenantId, deviceType) ?? ensureDefault(tenantId),
    findNamed: repository.findByName,
    createNamed: (tenantId: TenantId, name: string): DeviceProfile => insert(tenantId, { name }),
    describeKeys: keyDescription(deps, ensureDefault),
    createDefault: (tenantId: TenantId): void =>
      void insert(tenantId, {
        name: "default",
        isDefault: true,
        description: "Used where nothing else is selected",
      }),
  };
}

export type ProfilesService = ReturnType<typeof createProfilesService>;
