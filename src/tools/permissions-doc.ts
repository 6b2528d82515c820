import { type Permission, type PermissionRule, permissions } from "../modules/identity/permissions.ts";
import type { Role } from "../modules/users/users.types.ts";

const roles: ReadonlyArray<readonly [Role, string]> = [
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
    ...roles.map(([role]) => (allowed.includes(role) ? mark(true) : otherwise)),
    mark(needsPerson !== true),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** docs/permissions.md from the table that the checks come from. */
export function renderPermissions(): string {
  const names = Object.keys(permissions) as Permission[]; // the table's own keys
  return `# Who may do what

Every operation of the API needs one of these permissions, and the API's own pages (\`/docs\`) say which: \`x-permission\`. Who is not
signed in gets 401; who is, but may not, gets 403, and the audit log says so.

| permission | allows to | ${roles.map(([, name]) => name).join(" | ")} | API keys |
|---|---|${roles.map(() => ":-:").join("|")}|:-:|
${names.map(row).join("\n")}

- **flag** stands for users with \`canAcknowledgeAlarms\`, **self** for a user's own user.
- **API keys** have a role like a user, never above that of who made them, and what the last column leaves out is for people: a key that
  leaked must not be able to make itself at home.
- **Devices**: who has no access to all devices sees those that were granted, by name or by the asset they belong to, and what is theirs:
  telemetry, attributes, streams, audit entries. Others are 404, as if there were none. A profile, a user or a tenant that is not
  one's own is 404 as well.
- **Owners** are made, changed and deleted by owners only; nobody gives a role above the own one. The last owner of a tenant cannot be
  deleted, disabled or given another role.
- **Who has no tenant yet** (between sign-up and onboarding) has \`self:read\` and \`session:use\`.
- **Whitelabel**: tenant attributes are set on plans that include it; 403 on others.
- A user who is disabled, deleted or given another role is signed out everywhere at once, streams included.
`;
}
