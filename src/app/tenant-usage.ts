import type { TenantId } from "../lib/ids.ts";
import type { DevicesRepository } from "../modules/devices/devices.repository.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { MessageRateService } from "../modules/tenants/message-rate.service.ts";
import type { TenantUsage } from "../modules/tenants/tenants.routes.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import type { People } from "./people.ts";

/** How much of its plan a tenant uses. */
export const createTenantUsage =
  (deps: {
    people: Pick<People, "users" | "audit">;
    devices: Pick<DevicesRepository, "countOf">;
    store: Pick<TelemetryStore, "usageOf">;
    mqtt: Pick<MqttServer, "usageOf">;
    messageRate: Pick<MessageRateService, "read">;
  }) =>
  (tenantId: TenantId): TenantUsage => {
    const mqtt = deps.mqtt.usageOf(tenantId);
    const { perSecond, bytesPerSecond, refusedPerMinute } = deps.messageRate.read(tenantId);
    return {
      devices: deps.devices.countOf(tenantId),
      users: deps.people.users.countOf(tenantId),
      messagesPerSecond: perSecond,
      messagesRefusedPerMinute: refusedPerMinute,
      bytesPerSecond,
      ...deps.store.usageOf(tenantId),
      mqttConnections: mqtt.connections,
      mqttConnectionsRefused: mqtt.refused,
      mqttSessions: mqtt.sessions,
      queuedBytes: mqtt.queuedBytes,
      queuedMessagesDropped: mqtt.dropped,
      auditEntries: deps.people.audit.countOf(tenantId),
    };
  };
