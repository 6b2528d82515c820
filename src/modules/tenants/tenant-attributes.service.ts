import type { TenantId } from "../../lib/core/ids.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { PlansService } from "./plans.service.ts";
import type { TenantAttributesRepository } from "./tenant-attributes.repository.ts";
import {
  attributeNotFound,
  attributesLimit,
  attributeTooLarge,
  attributeValueInvalid,
  noWhitelabel,
} from "./tenants.errors.ts";
import type { TenantsService } from "./tenants.service.ts";
import type { TenantAttribute } from "./tenants.types.ts";

const VALUE_BYTES_MAX = 256 * 1024;
export const ATTRIBUTES_MAX = 100;

/** Creates the attributes of tenants, such as their branding. */
export function createTenantAttributesService(deps: {
  repository: TenantAttributesRepository;
  tenants: Pick<TenantsService, "get">;
  plans: Pick<PlansService, "of">;
  now: () => number;
}) {
  const { repository } = deps;
  const listeners: Array<(tenantId: TenantId, key: string) => void> = [];
  const changed = (tenantId: TenantId, key: string) => {
    for (const listener of listeners) listener(tenantId, key);
  };
  function ensureIncluded(tenantId: TenantId): void {
    if (!deps.plans.of(deps.tenants.get(tenantId).planName).whitelabelEnabled) throw noWhitelabel();
  }
  return {
    /** @throws DomainError `forbidden` unless the tenant's plan includes whitelabeling, which setting attributes requires */
    ensureIncluded,
    /** Calls `listener` after each set or deleted attribute. */
    onChange: (listener: (tenantId: TenantId, key: string) => void): void => void listeners.push(listener),
    read: (tenantId: TenantId) => ({
      keys: repository.heads(tenantId),
      read: ({ key }: Pick<TenantAttribute, "key">) => repository.find(tenantId, key),
    }),
    find: (tenantId: TenantId, key: string): TenantAttribute | undefined => repository.find(tenantId, key),
    /** @throws DomainError `tenant_attribute.not_found` */
    get(tenantId: TenantId, key: string): TenantAttribute {
      const attribute = repository.find(tenantId, key);
      if (attribute === undefined) throw attributeNotFound();
      return attribute;
    },
    /** @throws DomainError `forbidden` unless the plan includes whitelabeling; `invalid` for a value that is not an object or too large */
    set(tenantId: TenantId, key: string, value: unknown): TenantAttribute {
      ensureIncluded(tenantId);
      if (!isJsonObject(value)) throw attributeValueInvalid();
      if (Buffer.byteLength(JSON.stringify(value)) > VALUE_BYTES_MAX)
        throw attributeTooLarge(VALUE_BYTES_MAX);
      const isNew = repository.find(tenantId, key) === undefined;
      if (isNew && repository.count(tenantId) >= ATTRIBUTES_MAX) throw attributesLimit(ATTRIBUTES_MAX);
      const attribute = { key, value, updatedAt: deps.now() };
      repository.save(tenantId, attribute);
      changed(tenantId, key);
      return attribute;
    },
    /**
     * Deletes an attribute under any plan, so that attributes set under a better plan can be removed. @throws DomainError
     * `tenant_attribute.not_found`
     */
    delete(tenantId: TenantId, key: string): void {
      if (!repository.delete(tenantId, key)) throw attributeNotFound();
      changed(tenantId, key);
    },
  };
}

export type TenantAttributesService = ReturnType<typeof createTenantAttributesService>;
