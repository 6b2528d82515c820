import { eq } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { deviceMaintenance } from "./maintenance.tables.ts";
import type { Maintenance } from "./maintenance.types.ts";

export interface MaintenanceRepository {
  listAll(): Maintenance[];
  save(maintenance: Maintenance): void;
  delete(deviceId: DeviceId): void;
}

export function createMaintenanceRepository({ orm }: MainDatabase): MaintenanceRepository {
  return {
    listAll: () =>
      orm
        .select()
        .from(deviceMaintenance)
        .all()
        .map((row) => ({
          ...row,
          deviceId: row.deviceId as DeviceId, // branded when they were written
          tenantId: row.tenantId as TenantId,
        })),
    save: (maintenance) =>
      void orm
        .insert(deviceMaintenance)
        .values(maintenance)
        .onConflictDoUpdate({ target: deviceMaintenance.deviceId, set: maintenance })
        .run(),
    delete: (deviceId) =>
      void orm.delete(deviceMaintenance).where(eq(deviceMaintenance.deviceId, deviceId)).run(),
  };
}
