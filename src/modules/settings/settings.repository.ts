import { eq } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database/database.ts";
import { gatewaySettings } from "./settings.tables.ts";

/** Creates the store of settings of the whole gateway, one JSON value each. */
export function createSettingsRepository(database: MainDatabase) {
  const { orm } = database;
  const secrets = database.secrets("gateway settings");
  return {
    /** Returns the saved value of the name; undefined if there is none, or its sealing key was lost. */
    read<Value>(name: string): Value | undefined {
      const row = orm.select().from(gatewaySettings).where(eq(gatewaySettings.name, name)).get();
      const text = row && secrets.open(row.valueSealed);
      return text === undefined ? undefined : (JSON.parse(text) as Value);
    },
    save(name: string, value: unknown, now: number): void {
      const row = { name, valueSealed: secrets.seal(JSON.stringify(value)), updatedAt: now };
      orm
        .insert(gatewaySettings)
        .values(row)
        .onConflictDoUpdate({ target: gatewaySettings.name, set: row })
        .run();
    },
    delete: (name: string): void =>
      void orm.delete(gatewaySettings).where(eq(gatewaySettings.name, name)).run(),
  };
}
