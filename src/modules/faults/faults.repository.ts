import { asc, eq, sql } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database.ts";
import { refusals } from "./refusals.tables.ts";
import type { RefusalEntry } from "./refusals.types.ts";

type Row = typeof refusals.$inferSelect;

const toEntry = ({ identityKind, identityName, port, client, tenantId, deviceId, userId, ...row }: Row) =>
  ({
    ...row,
    identity: { kind: identityKind, name: identityName },
    port: port ?? undefined,
    client: client ?? undefined,
    tenantId: tenantId ?? undefined,
    deviceId: deviceId ?? undefined,
    userId: userId ?? undefined,
  }) as RefusalEntry; // written by `save`

const toRow = ({ identity, port, client, tenantId, deviceId, userId, ...entry }: RefusalEntry): Row => ({
  ...entry,
  identityKind: identity.kind,
  identityName: identity.name,
  port: port ?? null,
  client: client ?? null,
  tenantId: tenantId ?? null,
  deviceId: deviceId ?? null,
  userId: userId ?? null,
});

export function createRefusalsRepository({ orm, transact }: MainDatabase) {
  const remove = orm
    .delete(refusals)
    .where(eq(refusals.refusalId, sql.placeholder("refusalId")))
    .prepare();
  return {
    /** Lists all entries, the one that was refused longest ago first. */
    list: (): RefusalEntry[] => orm.select().from(refusals).orderBy(asc(refusals.lastAt)).all().map(toEntry),
    save: (saved: readonly RefusalEntry[], removed: readonly string[]): void =>
      transact(() => {
        for (const refusalId of removed) remove.run({ refusalId });
        for (const entry of saved) {
          const row = toRow(entry);
          const { lastAt, count, client } = row;
          orm
            .insert(refusals)
            .values(row)
            .onConflictDoUpdate({ target: refusals.refusalId, set: { lastAt, count, client } })
            .run();
        }
      }),
  };
}

export type RefusalsRepository = ReturnType<typeof createRefusalsRepository>;
