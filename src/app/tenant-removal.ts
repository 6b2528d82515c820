import type { TenantId } from "../lib/ids.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { People } from "./people.ts";

/**
 * Deletes a tenant with all that is its own. Its rows go in one transaction, and with them every way in; what lies in other files
 * follows, and what a power cut leaves of that belongs to nobody: telemetry without a device is deleted at the next start.
 */
export function createTenantRemoval(deps: {
  people: Pick<People, "tenants" | "users" | "sessions" | "provider">;
  devices: Pick<DevicesService, "listIds">;
  store: Pick<TelemetryStore, "deleteDevice">;
  transact: MainDatabase["transact"];
  events: EventBus<DomainEvents>;
}): (tenantId: TenantId) => Promise<void> {
  const { people, events } = deps;
  return async (tenantId) => {
    const users = people.users.listOf(tenantId);
    const devices = deps.devices.listIds(tenantId);
    deps.transact(() => {
      for (const { userId } of users) people.sessions.endAll(userId); // while the sessions' rows are there
      people.tenants.delete(tenantId);
    });
    for (const { userId, email } of users) {
      people.provider.delete(email);
      events.emit("user.access", { userId });
      events.emit("user.signed-out", { userId });
    }
    for (const { deviceId } of devices) events.emit("device.deleted", { tenantId, deviceId });
    for (const { deviceId } of devices) await deps.store.deleteDevice(deviceId);
  };
}
