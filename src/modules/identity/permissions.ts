import type { Principal, Role } from "../users/users.types.ts";

const EVERYONE: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"];
const WRITERS: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW"];
const ADMINISTRATORS: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN"];
const OWNERS: readonly Role[] = ["TENANT_OWNER"];

export interface PermissionRule {
  readonly roles: readonly Role[];
  /** Description for docs/permissions.md. */
  readonly what: string;
  /** Also granted to other roles with `canAcknowledgeAlarms`. */
  readonly orAcknowledger?: true;
  /** Also granted to other roles for their own user: the `userId` of the path. */
  readonly orSelf?: true;
  /** Granted to users without a tenant. */
  readonly isBeforeTenant?: true;
  /** Denied to API keys, so that a leaked key cannot establish itself. */
  readonly needsPerson?: true;
  /** Denied outside the gateway's own tenant, and without access to all devices. Checked by services, because it depends on more than the role. */
  readonly isOfGateway?: true;
}

/** Permissions and their roles. Checks, docs/permissions.md and the rows of the matrix test come from this table. */
export const permissions = {
  "self:read": { roles: EVERYONE, what: "read your user profile", isBeforeTenant: true },
  "session:use": {
    roles: EVERYONE,
    what: "renew or end your session; change your password and second factor; create a tenant after sign-up",
    isBeforeTenant: true,
    needsPerson: true,
  },
  "devices:read": { roles: EVERYONE, what: "read the devices that are granted, and notes on them" },
  "devices:write": {
    roles: WRITERS,
    what: "create, change, claim, release and delete devices; their access tokens, and notes on devices",
  },
  "profiles:read": { roles: EVERYONE, what: "read device profiles" },
  "profiles:write": { roles: WRITERS, what: "create, change and delete device profiles" },
  "attributes:read": { roles: EVERYONE, what: "read attributes of devices" },
  "attributes:write": { roles: WRITERS, what: "set and delete attributes of devices" },
  "commands:read": { roles: EVERYONE, what: "read commands to devices and their outcome" },
  "commands:write": { roles: WRITERS, what: "send commands to devices, and simulate their responses" },
  "scheduler:read": { roles: EVERYONE, what: "read scheduled jobs and their runs" },
  "scheduler:write": { roles: WRITERS, what: "create, change, start, pause, run and delete scheduled jobs" },
  "pipelines:read": { roles: EVERYONE, what: "read data pipelines" },
  "pipelines:write": { roles: WRITERS, what: "create, change, start, pause and delete data pipelines" },
  "dashboards:read": {
    roles: EVERYONE,
    what: "read dashboards, with the data of the devices that are granted",
  },
  "dashboards:write": { roles: WRITERS, what: "create, change, import and delete dashboards" },
  "dashboards:choose": {
    roles: EVERYONE,
    what: "choose one's own favorite dashboards and start page",
    needsPerson: true,
  },
  "dashboards:share": {
    roles: WRITERS,
    what: "with access to all devices: list, create and delete public links to a dashboard",
    needsPerson: true,
  },
  "generators:read": { roles: EVERYONE, what: "read generators, and preview their readings" },
  "generators:write": { roles: WRITERS, what: "create, change, start, pause and delete generators" },
  "uplinks:read": {
    roles: ADMINISTRATORS,
    what: "with access to all devices: read uplinks and their progress",
  },
  "uplinks:write": {
    roles: ADMINISTRATORS,
    what: "with access to all devices: create, change, test and delete uplinks",
    needsPerson: true,
  },
  "alarms:read": { roles: EVERYONE, what: "read alarms and their history" },
  "alarms:handle": {
    roles: ADMINISTRATORS,
    what: "acknowledge, clear and comment on alarms",
    orAcknowledger: true,
  },
  "maintenance:write": {
    roles: WRITERS,
    what: "start and end the maintenance of devices",
    orAcknowledger: true,
  },
  "alarms:escalation": {
    roles: ADMINISTRATORS,
    what: "read and, with access to all devices, change the settings of escalation and notifications",
  },
  "notifications:test": {
    roles: EVERYONE,
    what: "send a test notification to yourself",
    needsPerson: true,
  },
  "telemetry:read": { roles: EVERYONE, what: "read and export telemetry" },
  "telemetry:write": { roles: WRITERS, what: "import and delete telemetry" },
  "integrations:read": {
    roles: EVERYONE,
    what: "read integrations without their secrets; with access to all devices, also their events",
  },
  "integrations:write": {
    roles: ADMINISTRATORS,
    what: "create, change, start, pause, preview and delete integrations, and replay their messages; create, change, test and delete codecs",
  },
  "mqtt-clients:read": {
    roles: ADMINISTRATORS,
    what: "read MQTT clients without their passwords",
  },
  "mqtt-clients:write": {
    roles: ADMINISTRATORS,
    what: "with access to all devices: create, change and delete MQTT clients",
    needsPerson: true,
  },
  "mqtt-clients:publish": {
    roles: ADMINISTRATORS,
    what: "with access to all devices: read MQTT clients' topics and publish to them",
  },
  "integrations:secret": {
    roles: ADMINISTRATORS,
    what: "with access to all devices: create a new webhook secret",
    needsPerson: true,
  },
  "tenant:read": { roles: EVERYONE, what: "read the tenant: profile, plan, attributes, branding" },
  "tenant:write": {
    roles: ADMINISTRATORS,
    what: "with access to all devices: rename the tenant, set and delete its attributes and branding, pin values to the overview",
  },
  "tenant:delete": {
    roles: OWNERS,
    what: "with access to all devices: delete the tenant with all its data",
    needsPerson: true,
  },
  "users:self": { roles: EVERYONE, what: "read your user; administrators: any user of the tenant" },
  "users:change": {
    roles: ADMINISTRATORS,
    what: "change users (owners only by owners); everybody: your own name and notifications",
    orSelf: true,
    needsPerson: true,
  },
  "users:read": { roles: ADMINISTRATORS, what: "list users" },
  "users:write": {
    roles: ADMINISTRATORS,
    what: "create, invite and delete users (owners only by owners)",
    needsPerson: true,
  },
  "users:impersonate": {
    roles: ADMINISTRATORS,
    what: "act as another user (as an owner only by owners)",
    needsPerson: true,
  },
  "api-keys:manage": {
    roles: ADMINISTRATORS,
    what: "create, list and revoke API keys, up to your own role and device access",
    needsPerson: true,
  },
  "gateway:manage": {
    roles: OWNERS,
    what: "in the gateway's own tenant, with access to all devices: manage backups of the gateway, read its log and change its level, list and clear its faults, list the busiest devices",
    needsPerson: true,
    isOfGateway: true,
  },
  "outbox:manage": {
    roles: OWNERS,
    what: "with access to all devices: read the outbox, whose mails may contain codes and passwords of other users, and send mails again",
    needsPerson: true,
  },
  "audit:read": {
    roles: ADMINISTRATORS,
    what: "read and export the audit log; list refused credentials of the tenant, and faults of users and API keys",
  },
  "faults:clear": {
    roles: ADMINISTRATORS,
    what: "clear the faults that the user can see",
    needsPerson: true,
  },
} as const satisfies Record<string, PermissionRule>;

export type Permission = keyof typeof permissions;

const ruleOf = (permission: Permission): PermissionRule => permissions[permission];

export const isBeforeTenant = (permission: Permission): boolean => ruleOf(permission).isBeforeTenant ?? false;

export const isOfGateway = (permission: Permission): boolean => ruleOf(permission).isOfGateway ?? false;

export const needsPerson = (permission: Permission): boolean => ruleOf(permission).needsPerson ?? false;

export const isAllowed = (
  { role, canAcknowledgeAlarms }: Pick<Principal, "role" | "canAcknowledgeAlarms">,
  permission: Permission,
): boolean => {
  const { roles, orAcknowledger, orSelf } = ruleOf(permission);
  return roles.includes(role) || (orAcknowledger === true && canAcknowledgeAlarms) || orSelf === true;
};

/** Like `isAllowed`, for a request whose path names a user. */
export const isAllowedFor = (
  principal: Pick<Principal, "role" | "canAcknowledgeAlarms" | "userId">,
  permission: Permission,
  userId: string | undefined,
): boolean => {
  const { roles, orSelf } = ruleOf(permission);
  const isForSelfAlone = orSelf === true && !roles.includes(principal.role);
  return isAllowed(principal, permission) && (!isForSelfAlone || principal.userId === userId);
};
