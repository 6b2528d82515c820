import { asc, eq, sql } from "drizzle-orm";
import { withoutNulls } from "../../lib/core/defined.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { faults } from "./faults.tables.ts";
import type { FaultEntry } from "./faults.types.ts";

type Row = typeof faults.$inferSelect;

function toEntry(row: Row): FaultEntry {
  const { subjectKind, subjectId, subjectName, identityKind, identityName, ...rest } = row;
  return {
    ...withoutNulls(rest),
    port: row.port ?? undefined,
    ...(subjectKind !== null && {
      subject: { kind: subjectKind, id: subjectId, name: subjectName ?? undefined },
    }),
    ...(identityKind !== null && { identity: { kind: identityKind, name: identityName } }),
  } as FaultEntry; // written by `save`
}

const toRow = ({ subject, identity, ...entry }: FaultEntry): Row => ({
  faultId: entry.faultId,
  source: entry.source,
  code: entry.code,
  params: entry.params,
  tenantId: entry.tenantId ?? null,
  subjectKind: subject?.kind ?? null,
  subjectId: subject?.id ?? null,
  subjectName: subject?.name ?? null,
  identityKind: identity?.kind ?? null,
  identityName: identity?.name ?? null,
  where: entry.where ?? null,
  sample: entry.sample ?? null,
  address: entry.address ?? null,
  protocol: entry.protocol ?? null,
  port: entry.port ?? null,
  client: entry.client ?? null,
  firstAt: entry.firstAt,
  lastAt: entry.lastAt,
  count: entry.count,
});

export function createFaultsRepository({ orm, transact }: MainDatabase) {
  const remove = orm
    .delete(faults)
    .where(eq(faults.faultId, sql.placeholder("faultId")))
    .prepare();
  return {
    /** Lists all entries, the one that occurred longest ago first. */
    list: (): FaultEntry[] => orm.select().from(faults).orderBy(asc(faults.lastAt)).all().map(toEntry),
    save: (saved: readonly FaultEntry[], removed: readonly string[]): void =>
      transact(() => {
        for (const faultId of removed) remove.run({ faultId });
        for (const entry of saved) {
          const row = toRow(entry);
          const { lastAt, count, client, params, sample } = row;
          orm
            .insert(faults)
            .values(row)
            .onConflictDoUpdate({ target: faults.faultId, set: { lastAt, count, client, params, sample } })
            .run();
        }
      }),
  };
}

export type FaultsRepository = ReturnType<typeof createFaultsRepository>;
