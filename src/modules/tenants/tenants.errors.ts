import { conflict, DomainError, forbidden, invalid, notFound } from "../../lib/domain-error.ts";
import type { Principal } from "../users/users.types.ts";

export const tenantNotFound = () => notFound("tenant.not_found", "There is no such tenant.");
export const hostTenantStays = () =>
  conflict(
    "tenant.host",
    "This is the tenant of the gateway's own people; it goes only with the gateway's data.",
  );
export const deletionUnconfirmed = () =>
  invalid("tenant.unconfirmed", "tenantName: must be the name of the tenant that is to be deleted");
export const attributeNotFound = () =>
  notFound("tenant_attribute.not_found", "The tenant has no such attribute.");
export const attributeValueInvalid = () =>
  invalid("tenant_attribute.value_invalid", "value: must be an object");
export const attributeTooLarge = (bytes: number) =>
  invalid("tenant_attribute.too_large", `value: must be no larger than ${bytes / 1024} KiB`);
export const attributesLimit = (limit: number) =>
  conflict("tenant_attribute.limit", `A tenant has ${limit} attributes at most; delete one first.`);
export const noWhitelabel = () =>
  forbidden("plan.whitelabel", "The plan of this tenant does not include whitelabeling.");
export const devicesLimit = (limit: number) =>
  forbidden("plan.devices_limit", `The plan of this tenant allows ${limit} devices.`);
export const messagesLimit = (limit: number, waitMs: number) =>
  new DomainError(
    "limited",
    "plan.messages_limit",
    `The plan of this tenant allows ${limit} messages a second, of all devices together.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  );

export const bytesLimit = (limit: number, waitMs: number) =>
  new DomainError(
    "limited",
    "plan.bytes_limit",
    `The plan of this tenant allows ${limit} bytes a second, of all devices together.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  );

/** For what concerns every device of the tenant. `what`: "rename the site". @throws DomainError `device.not_granted` */
export function ensureAllDevices({ devices }: Pick<Principal, "devices">, what: string): void {
  if (devices !== "all")
    throw forbidden("device.not_granted", `Only users with access to all devices may ${what}.`);
}
export const logoNotFound = () => notFound("branding.logo_not_found", "The gateway has no logo of its own.");
