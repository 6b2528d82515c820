import { eq } from "drizzle-orm";
import { detail } from "../../lib/core/domain-error.ts";
import type { Problem } from "../../platform/core/health.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { gatewaySettings } from "./settings.tables.ts";

/** Creates the store of settings of the whole gateway, one JSON value each. */
export function createSettingsRepository(database: MainDatabase) {
  const { orm } = database;
  const secrets = database.secrets("gateway settings");
  const opens = ({ valueSealed }: typeof gatewaySettings.$inferSelect) => secrets.open(valueSealed);
  const stored = orm.select().from(gatewaySettings).all();
  /** Names of damaged values. The gateway works as if they had never been saved, for example without backups. */
  const unreadable = new Set(stored.filter((row) => opens(row) === undefined).map(({ name }) => name));
  return {
    problem: (): Problem | undefined =>
      unreadable.size === 0
        ? undefined
        : { severity: "WARNING", ...detail("settings.unreadable", { names: [...unreadable].join(", ") }) },
    /** Returns the saved value of the name; undefined if there is none, or its sealing key was lost. */
    read<Value>(name: string): Value | undefined {
      const row = orm.select().from(gatewaySettings).where(eq(gatewaySettings.name, name)).get();
      const text = row && opens(row);
      return text === undefined ? undefined : (JSON.parse(text) as Value);
    },
    save(name: string, value: unknown, now: number): void {
      const row = { name, valueSealed: secrets.seal(JSON.stringify(value)), updatedAt: now };
      unreadable.delete(name);
      orm
        .insert(gatewaySettings)
        .values(row)
        .onConflictDoUpdate({ target: gatewaySettings.name, set: row })
        .run();
    },
    delete(name: string): void {
      unreadable.delete(name);
      orm.delete(gatewaySettings).where(eq(gatewaySettings.name, name)).run();
    },
  };
}
