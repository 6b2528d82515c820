import type { Role } from "../users/users.types.ts";

const everyone: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"];
const writers: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW"];
const administrators: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN"];

/** Who may do what: checks, documentation and test rows all come from this table. */
export const permissions = {
  "self:read": everyone,
  "devices:read": everyone,
  "devices:write": writers,
  "profiles:read": everyone,
  "profiles:write": writers,
  "attributes:read": everyone,
  "attributes:write": writers,
  "telemetry:read": everyone,
  "telemetry:write": writers,
  "system:read": administrators,
  /** Of oneself, for everybody; of others, only for those with `users:write`. */
  "users:self": everyone,
  "users:read": administrators,
  "users:write": administrators,
  "api-keys:manage": administrators,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

export function isAllowed(role: Role, permission: Permission): boolean {
  const allowed: readonly Role[] = permissions[permission];
  return allowed.includes(role);
}
