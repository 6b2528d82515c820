import type { Role } from "../users/users.types.ts";

const everyone: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"];
const writers: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW"];
const owners: readonly Role[] = ["TENANT_OWNER"];
const administrators: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN"];

/** Who may do what: checks, documentation and test rows all come from this table. */
export const permissions = {
  "self:read": everyone,
  /** What only a person's own session does: refresh, sign out, password, impersonate, onboarding … */
  "session:use": everyone,
  "devices:read": everyone,
  "devices:write": writers,
  "profiles:read": everyone,
  "profiles:write": writers,
  "attributes:read": everyone,
  "attributes:write": writers,
  "telemetry:read": everyone,
  "telemetry:write": writers,
  "system:read": administrators,
  /** Of oneself, for everybody; of others, only for administrators. */
  "users:self": everyone,
  "users:change": everyone,
  "users:read": administrators,
  "users:write": administrators,
  "api-keys:manage": administrators,
  /** Its mails may carry codes and passwords of others. */
  "outbox:manage": owners,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

/** Open to those who have no tenant yet. */
export const isBeforeTenant = (permission: Permission): boolean =>
  permission === "self:read" || permission === "session:use";

/** Closed to API keys: a key that leaked must not be able to make itself at home. */
export const needsPerson = (permission: Permission): boolean =>
  permission === "session:use" ||
  permission === "api-keys:manage" ||
  permission === "outbox:manage" ||
  permission === "users:write" ||
  permission === "users:change";

export function isAllowed(role: Role, permission: Permission): boolean {
  const allowed: readonly Role[] = permissions[permission];
  return allowed.includes(role);
}
