import { defined } from "../../lib/core/defined.ts";
import { conflict, detail, invalid } from "../../lib/core/domain-error.ts";
import type { ProfileId, TenantId } from "../../lib/core/ids.ts";
import { invariant } from "../../lib/core/invariant.ts";
import { profileDefaults } from "../../lib/devices/profile-defaults.ts";
import { KEYS_MAX, type KeyMetadata, type KeyMetadataMap } from "../../lib/keys/key-metadata.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { TurnCache } from "../../platform/load/turn-cache.ts";
import type { DomainEvents } from "../events.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { checkCommandDefinitions } from "./command-definitions.ts";
import { checkDeviceRequests } from "./device-requests.ts";
import type { KeyMetadataService } from "./key-metadata.service.ts";
import { parseKeyMetadata } from "./parse-key-metadata.ts";
import type { ProfilesRepository } from "./profiles.repository.ts";
import type { DeviceProfile, ProfileSettings, profileResource } from "./profiles.resource.ts";

type NewProfile = typeof profileResource.$create;
type ProfileChanges = typeof profileResource.$update;

/** Single profile with the metadata of its keys, which most readers of profiles do not need. */
export interface ShownProfile extends DeviceProfile {
  /** Number of devices that the caller may see; only in lists. */
  readonly deviceCount?: number;
  readonly keyMetadata?: readonly KeyMetadata[];
}

/** Checks alarm rules. `before`: the replaced rules. */
export type CheckAlarmRules = (
  principal: Pick<Principal, "tenantId" | "apiKey">,
  rules: readonly unknown[],
  before: readonly unknown[],
) => void;

interface ProfilesServiceDeps {
  readonly repository: ProfilesRepository;
  readonly keys: Pick<KeyMetadataService, "ofProfile" | "saveOfProfile" | "of">;
  readonly transact: MainDatabase["transact"];
  readonly changes: MainDatabase["changes"];
  /** @throws DomainError `invalid` that names the invalid part; `forbidden` for a new URL by an API key */
  readonly checkAlarmRules: CheckAlarmRules;
  readonly events: EventBus<DomainEvents>;
}

/** Returns the validated metadata of a request; undefined if it has none. */
const parseGiven = (input: unknown): KeyMetadata[] | undefined =>
  input === undefined ? undefined : parseKeyMetadata(input);

function checkRules(
  { checkAlarmRules }: Pick<ProfilesServiceDeps, "checkAlarmRules">,
  principal: Principal,
  { alarmRules = [], deviceRequests = [], commands = [] }: ProfileChanges,
  before: readonly unknown[] = [],
): void {
  checkAlarmRules(principal, alarmRules, before);
  checkDeviceRequests(deviceRequests);
  checkCommandDefinitions(commands);
}

interface AnnouncedKey {
  readonly metadata: KeyMetadata;
  readonly before?: KeyMetadata | undefined;
}

function withAnnounced(present: readonly KeyMetadata[], announced: readonly AnnouncedKey[]): KeyMetadata[] {
  const described = new Map(present.map((entry) => [entry.key, entry]));
  for (const { metadata, before } of announced) {
    const entry = described.get(metadata.key);
    const isRoom = entry !== undefined || described.size < KEYS_MAX;
    if (isRoom && (entry === undefined || Bun.deepEquals(entry, before)))
      described.set(metadata.key, metadata);
  }
  return [...described.values()];
}

/**
 * Returns a function that adds metadata of new keys to a profile, and replaces metadata that equals its previous announcement. The default profile
 * has devices of many kinds, and is not changed.
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

/** Creates the service for device profiles, the common settings of devices of a kind. Every tenant has exactly one default profile. */
export function createProfilesService(deps: ProfilesServiceDeps) {
  const { repository, keys, events } = deps;
  const { get } = repository;

  function ensureDefault(tenantId: TenantId): DeviceProfile {
    const profile = repository.findDefault(tenantId);
    invariant(profile !== undefined, "every tenant has a default profile");
    return profile;
  }

  const settings = new TurnCache<ProfileSettings>(deps.changes);

  const withKeys = (profile: DeviceProfile): ShownProfile => ({
    ...profile,
    keyMetadata: keys.ofProfile(profile.profileId),
  });

  /** Writes a profile and the metadata of its keys together. */
  function save(write: () => DeviceProfile, metadata: readonly KeyMetadata[] | undefined): ShownProfile {
    const profile = deps.transact(() => {
      const written = write();
      if (written.isDefault) repository.setOnlyDefault(written.tenantId, written.profileId);
      if (metadata !== undefined) keys.saveOfProfile(written.profileId, metadata);
      return written;
    });
    return withKeys(profile);
  }

  function insert(tenantId: TenantId, { keyMetadata, ...fields }: NewProfile): ShownProfile {
    const metadata = parseGiven(keyMetadata);
    return save(() => repository.insert(tenantId, { ...profileDefaults, ...fields }), metadata);
  }

  return {
    /** Lists the profiles without their rules, for other modules. */
    heads: ({ tenantId }: Pick<Principal, "tenantId">) => repository.heads(tenantId),
    read({ tenantId, devices }: Principal) {
      const counts = repository.countDevicesOfAll(tenantId, devices);
      return mapRows(
        repository.rows(tenantId),
        (profile): ShownProfile => ({ ...profile, deviceCount: counts.get(profile.profileId) ?? 0 }),
      );
    },
    get: ({ tenantId }: Principal, profileId: string): ShownProfile => withKeys(get(tenantId, profileId)),
    /**
     * Creates a profile. @throws DomainError `forbidden` without access to all devices, because a profile also affects devices that the caller
     * cannot see
     */
    create(principal: Principal, profile: NewProfile): ShownProfile {
      ensureAllDevices(principal, detail("action.create_device_profiles"));
      checkRules(deps, principal, profile);
      return insert(principal.tenantId, profile);
    },
    async update(
      principal: Principal,
      profileId: string,
      { keyMetadata, ...changes }: ProfileChanges,
    ): Promise<ShownProfile> {
      const { tenantId } = principal;
      ensureAllDevices(principal, detail("action.change_device_profiles"));
      checkRules(deps, principal, changes, get(tenantId, profileId).alarmRules);
      if (changes.alarmRules !== undefined) await workShare.next(); // rules may name 24,000 devices
      const current = get(tenantId, profileId);
      const metadata = parseGiven(keyMetadata);
      if (current.isDefault && changes.isDefault === false) throw invalid("profile.default_needed");
      const saved = save(() => repository.update(current, changes), metadata);
      // Devices and alarm rules do not depend on key metadata.
      if (Object.keys(defined(changes)).length > 0)
        events.emit("profile.changed", { tenantId, profileId: current.profileId });
      if (metadata !== undefined) events.emit("key-metadata.changed", { tenantId });
      return saved;
    },
    delete(principal: Principal, profileId: string): void {
      ensureAllDevices(principal, detail("action.delete_device_profiles"));
      const profile = get(principal.tenantId, profileId);
      if (profile.isDefault) throw conflict("profile.is_default");
      if (repository.countDevices(profile.profileId) > 0) throw conflict("profile.in_use");
      repository.delete(profile);
    },
    /** Returns the tenant's profile by id, or the default profile without an id, for other modules. */
    ensure: (tenantId: TenantId, profileId?: string): DeviceProfile =>
      profileId === undefined ? ensureDefault(tenantId) : get(tenantId, profileId),
    /** Returns a profile without its rules, which can be 1 MB: reading them for each connecting device would take some ms. */
    settingsOf: (tenantId: TenantId, profileId: ProfileId): ProfileSettings =>
      settings.get(`${tenantId} ${profileId}`, () => repository.settingsOf(tenantId, profileId)),
    /** Returns the effective metadata of telemetry keys for devices of the profile. */
    keysOf: (tenantId: TenantId, profileId: ProfileId): KeyMetadataMap => keys.of(tenantId, profileId),
    /** Returns the profile named like the device type, or the default profile, for devices that claim credentials. */
    forType: (tenantId: TenantId, deviceType: string): DeviceProfile =>
      repository.findBy(tenantId, "name", deviceType) ?? ensureDefault(tenantId),
    findNamed: (tenantId: TenantId, name: string): DeviceProfile | undefined =>
      repository.findBy(tenantId, "name", name),
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
