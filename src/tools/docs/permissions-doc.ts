import { type Permission, type PermissionRule, permissions } from "../../modules/identity/permissions.ts";
import type { Role } from "../../modules/users/users.types.ts";

const ROLES: ReadonlyArray<readonly [Role, string]> = [
  ["TENANT_OWNER", "owner"],
  ["TENANT_ADMIN", "administrator"],
  ["TENANT_RW", "read and write"],
  ["TENANT_READ_ONLY", "read only"],
];

const mark = (isAllowed: boolean) => (isAllowed ? "✓" : "–");

function row(permission: Permission): string {
  const {
    roles: allowed,
    what,
    needsPerson,
    orAcknowledger,
    orSelf,
  }: PermissionRule = permissions[permission];
  const otherwise = orAcknowledger ? "flag" : orSelf ? "self" : mark(false);
  const cells = [
    `\`${permission}\``,
    what,
    ...ROLES.map(([role]) => (allowed.includes(role) ? mark(true) : otherwise)),
    mark(needsPerson !== true),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Renders docs/permissions.md from the table of the checks. */
export function renderPermissions(): string {
  const names = Object.keys(permissions) as Permission[]; // the table's own keys
  return `# Permissions

This page shows what each role can do. Every operation of the API needs one of these permissions; \`x-permission\` in the API's own pages (\`/docs\`) names it. A
request without sign-in gets 401. A request without the permission gets 403 and an entry in the audit log.

| permission | operations | ${ROLES.map(([, name]) => name).join(" | ")} | API keys |
|---|---|${ROLES.map(() => ":-:").join("|")}|:-:|
${names.map(row).join("\n")}

- **flag** stands for users with \`canAcknowledgeAlarms\`, **self** for a user's own user.
- **API keys** have a role like a user, never above that of the user who created them. Permissions without a mark in the last column belong to users only, so that a leaked
  key cannot create users, keys, MQTT clients or uplinks, which would outlive the key. A key cannot set an address that data is sent to either:
  webhooks of pipelines, servers of integrations, and messengers need a user. Other changes remain after a key is deleted, and devices that it
  created keep their tokens. The audit log lists all changes under the key's name.
- **Devices**: users without access to all devices see those that were granted, by device or by asset, and their
  telemetry, attributes, streams and audit entries. Requests for other devices return 404, as if they did not exist. So do requests for profiles,
  users and tenants of others.
- **Owners** can be created, changed and deleted by owners only, and no user can give a role above their own. The last owner of a tenant cannot be
  deleted, disabled or given another role.
- **Users without a tenant** (between sign-up and onboarding) have \`self:read\` and \`session:use\`.
- **Whitelabel**: tenant attributes can be set on plans that include it. Other plans get 403.
- A user who is disabled, deleted or given another role is signed out everywhere immediately, including streams.
`;
}
