import { detail } from "../../lib/core/domain-error.ts";
import type { ProfileId, TenantId } from "../../lib/core/ids.ts";
import { type KeyMetadata, type KeyMetadataMap, resolveKeyMetadata } from "../../lib/keys/key-metadata.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { parseKeyMetadata } from "./parse-key-metadata.ts";
import type { KeyMetadataRepository } from "./profiles.repository.ts";

/** Max. profiles with cached metadata; alarms and screens request the same few. */
const KEPT_MAX = 100;

/** Creates the metadata of telemetry keys: the tenant's defaults, overridden by profiles. */
export function createKeyMetadataService(deps: {
  repository: KeyMetadataRepository;
  events: EventBus<DomainEvents>;
}) {
  const { repository, events } = deps;
  /** Resolved metadata by profile. */
  const kept = new Map<ProfileId, KeyMetadataMap>();
  return {
    ofProfile: repository.ofProfile,
    saveOfProfile(profileId: ProfileId, metadata: readonly KeyMetadata[]): void {
      repository.saveOfProfile(profileId, metadata);
      kept.clear();
    },
    defaults: (tenantId: TenantId): readonly KeyMetadata[] => repository.ofTenant(tenantId),
    /** Replaces the defaults. @throws DomainError `forbidden` without access to all devices; `invalid` */
    setDefaults(principal: Principal, input: unknown): readonly KeyMetadata[] {
      const { tenantId } = principal;
      ensureAllDevices(principal, detail("action.change_device_profiles"));
      const metadata = parseKeyMetadata(input);
      repository.saveOfTenant(tenantId, metadata);
      kept.clear();
      events.emit("key-metadata.changed", { tenantId });
      return metadata;
    },
    /** Returns the effective metadata for devices of the profile. */
    of(tenantId: TenantId, profileId: ProfileId): KeyMetadataMap {
      const existing = kept.get(profileId);
      if (existing !== undefined) return existing;
      if (kept.size >= KEPT_MAX) kept.clear();
      const resolved = resolveKeyMetadata(repository.ofTenant(tenantId), repository.ofProfile(profileId));
      kept.set(profileId, resolved);
      return resolved;
    },
  };
}

export type KeyMetadataService = ReturnType<typeof createKeyMetadataService>;
