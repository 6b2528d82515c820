import { eq } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { demoPlants } from "./demo-plant.tables.ts";
import type { DemoPlant } from "./demo-plant.types.ts";

export function createDemoPlantRepository({ orm }: MainDatabase) {
  const toPlant = (row: typeof demoPlants.$inferSelect): DemoPlant => ({
    ...row,
    parts: { ...row.parts, remembered: row.parts.remembered ?? [] }, // what was kept before there was such a list
  });
  return {
    find(tenantId: TenantId): DemoPlant | undefined {
      const row = orm.select().from(demoPlants).where(eq(demoPlants.tenantId, tenantId)).get();
      return row && toPlant(row);
    },
    listRunning: (): DemoPlant[] =>
      orm.select().from(demoPlants).where(eq(demoPlants.isRunning, true)).all().map(toPlant),
    /** Saves the plant, replacing the tenant's existing one. */
    save: (plant: DemoPlant): void =>
      void orm
        .insert(demoPlants)
        .values(plant)
        .onConflictDoUpdate({ target: demoPlants.tenantId, set: plant })
        .run(),
    delete: (tenantId: TenantId): void =>
      void orm.delete(demoPlants).where(eq(demoPlants.tenantId, tenantId)).run(),
  };
}

export type DemoPlantRepository = ReturnType<typeof createDemoPlantRepository>;
