import type { DeviceId, TenantId } from "../lib/core/ids.ts";
import { SETTLED_ALARMS } from "../modules/alarms/alarms.tables.ts";
import type { AuditModule } from "../modules/audit/audit.module.ts";
import type { DevicesModule } from "../modules/devices/devices.module.ts";
import type { IdentityModule } from "../modules/identity/identity.module.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import type { Core } from "../modules/module.types.ts";
import type { StorageModule } from "../modules/telemetry/storage.module.ts";
import type { TenantsModule } from "../modules/tenants/tenants.module.ts";
import { type TenantUsage, tenantsRoutes } from "../modules/tenants/tenants.routes.ts";
import type { UsersModule } from "../modules/users/users.module.ts";
import type { MqttModule } from "../mqtt/mqtt.module.ts";
import { createDependentRows, type DependentRows } from "../platform/database/dependent-rows.ts";

interface RemovalDeps {
  readonly database: Pick<Core["database"], "transact">;
  readonly events: Pick<Core["events"], "emit">;
  readonly dependents: DependentRows;
  readonly devices: Pick<DevicesModule["devices"], "deleteAll" | "listIds">;
  readonly users: Pick<UsersModule["users"], "listOf">;
  readonly sessions: Pick<IdentityModule["sessions"], "endAll">;
  readonly provider: Pick<IdentityModule["provider"], "delete">;
  readonly tenants: Pick<TenantsModule["tenants"], "delete">;
  readonly deleteTelemetry: (deviceId: DeviceId) => Promise<void>;
}

/** Creates the function that deletes a tenant with all its data. Concurrent calls for one tenant share the same deletion. */
export function createTenantRemoval(deps: RemovalDeps): (tenantId: TenantId) => Promise<void> {
  const { database, events, devices, users, sessions, provider } = deps;
  const running = new Map<TenantId, Promise<void>>();

  /**
   * Deletes large tables in batches, and devices one by one, with other work in between. The rest is one transaction, including the users, who can
   * repeat an interrupted deletion. Telemetry that remains after a power cut belongs to no device, and is deleted at the next start.
   */
  async function remove(tenantId: TenantId): Promise<void> {
    await deps.dependents.clear("tenants", [tenantId]);
    await devices.deleteAll(tenantId);
    const ownUsers = users.listOf(tenantId);
    const added = devices.listIds(tenantId); // created during the deletion
    database.transact(() => {
      for (const { userId } of ownUsers) sessions.endAll(userId); // while the sessions' rows are there
      deps.tenants.delete(tenantId);
    });
    for (const { userId, email } of ownUsers) {
      provider.delete(email);
      events.emit("user.access", { userId });
      events.emit("user.signed-out", { userId });
    }
    for (const { deviceId } of added) events.emit("device.deleted", { tenantId, deviceId });
    for (const { deviceId } of added) await deps.deleteTelemetry(deviceId);
  }

  return (tenantId) => {
    const removal = running.get(tenantId) ?? remove(tenantId).finally(() => running.delete(tenantId));
    running.set(tenantId, removal);
    return removal;
  };
}

/** Operations on a whole tenant: shows the usage of its plan, and deletes it with all its data. */
export function createTenantAdministrationModule(
  { database, events }: Core,
  modules: {
    readonly tenants: TenantsModule;
    readonly users: UsersModule;
    readonly identity: IdentityModule;
    readonly audit: AuditModule;
    readonly devices: DevicesModule;
    readonly storage: StorageModule;
    readonly mqtt: MqttModule;
  },
) {
  const { tenants, plans, quotas, messageRate, siteLocks } = modules.tenants;
  const { users } = modules.users;
  const { sessions, provider } = modules.identity;
  const { audit } = modules.audit;
  const { devices, devicesRepository } = modules.devices;
  const { store } = modules.storage;
  const { mqtt } = modules.mqtt;
  const dependents = createDependentRows(database, { alarms: SETTLED_ALARMS });

  function usageOf(tenantId: TenantId): TenantUsage {
    const ofMqtt = mqtt.usageOf(tenantId);
    const ofStore = store.usageOf(tenantId);
    const { perSecond, bytesPerSecond, refusedPerMinute } = messageRate.read(tenantId);
    return {
      devices: devicesRepository.countOf(tenantId),
      users: users.countOf(tenantId),
      messagesPerSecond: perSecond,
      messagesRefusedPerMinute: refusedPerMinute,
      bytesPerSecond,
      storedBytes: ofStore.storedBytes,
      keys: ofStore.keys,
      mqttConnections: ofMqtt.connections,
      mqttConnectionsRefused: ofMqtt.refused,
      mqttSessions: ofMqtt.sessions,
      mqttSubscriptions: ofMqtt.subscriptions,
      mqttSubscriptionsRefused: ofMqtt.subscriptionsRefused,
      queuedBytes: ofMqtt.queuedBytes,
      queuedMessagesDropped: ofMqtt.dropped,
      auditEntries: audit.countOf(tenantId),
    };
  }

  const removeTenant = createTenantRemoval({
    database,
    events,
    dependents,
    devices,
    users,
    sessions,
    provider,
    tenants,
    deleteTelemetry: (deviceId) => store.deleteDevice(deviceId),
  });

  return {
    routes: (auth: AuthPlugin) => [
      tenantsRoutes({ tenants, plans, quotas, usageOf, removeTenant, siteLocks, auth }),
    ],
  };
}
