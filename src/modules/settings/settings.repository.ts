import { eq } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database/database.ts";
import { gatewaySettings } from "./settings.tables.ts";

/** Creates the store of settings that belong to the whole gateway. Each is one JSON value. */
export function createSettingsRepository(database: MainDatabase) {
  const { orm } = database;
  const secrets = database.secrets("gateway settings");
  return {
    /** Returns the value that `save` kept under the name; undefined before that, and if the key beside the data was lost. */
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
