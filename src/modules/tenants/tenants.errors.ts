import { conflict, forbidden, invalid, limited, notFound } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Principal } from "../users/users.types.ts";

export const tenantNotFound = () => notFound("tenant.not_found");
export const hostTenantStays = () => conflict("tenant.host");
export const siteLocked = (by: string, since: string) => conflict("tenant.site_locked", { by, since });
export const siteLockLost = () => conflict("tenant.site_lock_lost");
export const hostSeesAll = () => conflict("tenant.host_sees_all");
export const deletionUnconfirmed = () => invalid("tenant.unconfirmed");
export const attributeNotFound = () => notFound("tenant_attribute.not_found");
export const attributeValueInvalid = () => invalid("tenant_attribute.value_invalid");
export const attributeTooLarge = (bytes: number) =>
  invalid("tenant_attribute.too_large", { bytes: bytes / 1024 });
export const attributesLimit = (limit: number) => conflict("tenant_attribute.limit", { limit });
export const noWhitelabel = () => forbidden("plan.whitelabel");
export const devicesLimit = (limit: number) => forbidden("plan.devices_limit", { limit });
export const messagesLimit = (limit: number, waitMs: number) =>
  limited("plan.messages_limit", Math.max(1, Math.ceil(waitMs / 1000)), { limit });

export const bytesLimit = (limit: number, waitMs: number) =>
  limited("plan.bytes_limit", Math.max(1, Math.ceil(waitMs / 1000)), { limit });

/** @throws DomainError `device.not_granted` unless the principal has access to all devices */
export function ensureAllDevices({ devices }: Pick<Principal, "devices">, action: Text): void {
  if (devices !== "all") throw forbidden("device.not_granted", { action });
}

/**
 * Refuses an API key that would send data to an address not set by a user, because the data would be sent even after the key has ended.
 * @param addresses new targets of data
 * @param existing addresses already set
 * @throws DomainError `auth.person_needed`
 */
export function ensurePersonSets(
  { apiKey }: Pick<Principal, "apiKey">,
  addresses: readonly (string | undefined)[],
  existing: readonly (string | undefined)[] = [],
): void {
  const isNew = addresses.some((address) => address !== undefined && !existing.includes(address));
  if (apiKey !== undefined && isNew) throw forbidden("auth.person_needed");
}
export const logoNotFound = () => notFound("branding.logo_not_found");

/** @throws DomainError `forbidden` except for users of the gateway's own tenant with access to all devices, who see data of all tenants */
export function ensureOperator(
  tenants: { find(tenantId: TenantId): { readonly isHost: boolean } | undefined },
  { tenantId, devices }: Pick<Principal, "tenantId" | "devices">,
): void {
  if (tenants.find(tenantId)?.isHost !== true || devices !== "all") throw forbidden("gateway.operators_only");
}
