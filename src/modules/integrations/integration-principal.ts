import type { UserId } from "../../lib/core/ids.ts";
import type { TaskOwner } from "../../platform/load/fair-share.ts";
import type { Principal } from "../users/users.types.ts";
import type { Integration } from "./integrations.resource.ts";

/*
 * Principal of an integration, and the keys under which its scripts run.
 */

/** Returns the principal of an integration, which sees the devices of its tenant and may create devices. */
export const integrationPrincipal = ({
  integrationId,
  tenantId,
  name,
}: Pick<Integration, "integrationId" | "tenantId" | "name">): Principal => ({
  userId: integrationId as UserId, // not a user: unknown to audit log and access control
  email: `integration: ${name}`,
  tenantId,
  role: "TENANT_RW",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: "all",
});

/** Returns the owner of an integration's messages, for fair scheduling. */
export const messageOwner = ({ tenantId, integrationId }: Integration): TaskOwner => ({
  tenantId,
  userId: integrationId,
});

/** Returns the circuit breaker's key for a library codec of an integration. */
export const codecRunKey = (integrationId: string, codecId: string): string => `${integrationId}/${codecId}`;

/** Returns the keys of all scripts of an integration: its own script and its codecs. */
export const scriptKeysOf = ({
  integrationId,
  settings,
}: Pick<Integration, "integrationId" | "settings">) => [
  integrationId,
  ...(settings.codecs ?? []).map(({ codecId }) => codecRunKey(integrationId, codecId)),
];
