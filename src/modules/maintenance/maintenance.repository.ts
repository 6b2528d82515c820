import { eq } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { deviceMaintenance } from "./maintenance.tables.ts";
import type { Maintenance } from "./maintenance.types.ts";

export function createMaintenanceRepository({ orm }: MainDatabase) {
  return {
    listAll: (): Maintenance[] =>
      orm
        .select()
        .from(deviceMaintenance)
        .all()
        .map((row) => ({
          ...row,
        })),
    save: (maintenance: Maintenance): void =>
      void orm
        .insert(deviceMaintenance)
        .values(maintenance)
        .onConflictDoUpdate({ target: deviceMaintenance.deviceId, set: maintenance })
        .run(),
    delete: (deviceId: DeviceId): void =>
      void orm.delete(deviceMaintenance).where(eq(deviceMaintenance.deviceId, deviceId)).run(),
  };
}

export type MaintenanceRepository = ReturnType<typeof createMaintenanceRepository>;
