import type { TenantId } from "../lib/ids.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import type { DevicesRepository } from "../modules/devices/devices.repository.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import type { IdentityProvider } from "../modules/identity/provider/identity-provider.ts";
import type { SessionsService } from "../modules/identity/sessions.service.ts";
import type { Core } from "../modules/module.types.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { MessageRateService } from "../modules/tenants/message-rate.service.ts";
import type { PlansService } from "../modules/tenants/plans.service.ts";
import type { QuotasService } from "../modules/tenants/quotas.service.ts";
import { type TenantUsage, tenantsRoutes } from "../modules/tenants/tenants.routes.ts";
import type { TenantsService } from "../modules/tenants/tenants.service.ts";
import type { UsersService } from "../modules/users/users.service.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";

/** Operations on a whole tenant: shows the usage of its plan, and deletes it with all its data. */
export function createTenantAdministrationModule(
  { database, events }: Core,
  deps: {
    tenants: TenantsService;
    plans: PlansService;
    quotas: QuotasService;
    messageRate: MessageRateService;
    users: UsersService;
    sessions: SessionsService;
    provider: IdentityProvider;
    audit: AuditService;
    devices: DevicesService;
    devicesRepository: DevicesRepository;
    store: TelemetryStore;
    mqtt: MqttServer;
  },
) {
  const { tenants, plans, quotas, messageRate, users, sessions, provider, audit, devices, store, mqtt } =
    deps;

  function usageOf(tenantId: TenantId): TenantUsage {
    const ofMqtt = mqtt.usageOf(tenantId);
    const ofStore = store.usageOf(tenantId);
    const { perSecond, bytesPerSecond, refusedPerMinute } = messageRate.read(tenantId);
    return {
      devices: deps.devicesRepository.countOf(tenantId),
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

  /**
   * Its rows go in one transaction, and with them every way in. What lies in other files follows, and what a power cut leaves of that belongs
   * to nobody: telemetry without a device is deleted at the next start.
   */
  async function removeTenant(tenantId: TenantId): Promise<void> {
    const ownUsers = users.listOf(tenantId);
    const ownDevices = devices.listIds(tenantId);
    database.transact(() => {
      for (const { userId } of ownUsers) sessions.endAll(userId); // while the sessions' rows are there
      tenants.delete(tenantId);
    });
    for (const { userId, email } of ownUsers) {
      provider.delete(email);
      events.emit("user.access", { userId });
      events.emit("user.signed-out", { userId });
    }
    for (const { deviceId } of ownDevices) events.emit("device.deleted", { tenantId, deviceId });
    for (const { deviceId } of ownDevices) await store.deleteDevice(deviceId);
  }

  return {
    routes: (auth: AuthPlugin) => [tenantsRoutes({ tenants, plans, quotas, usageOf, removeTenant, auth })],
  };
}
