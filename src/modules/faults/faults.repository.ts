import { asc, eq, getTableColumns, type Placeholder, sql } from "drizzle-orm";
import { withoutNulls } from "../../lib/core/defined.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
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
  const remove = lazyStatement(() =>
    orm.delete(faults).where(eq(faults.faultId, sql.placeholder("faultId"))),
  );
  const placeholders = Object.fromEntries(
    Object.keys(getTableColumns(faults)).map((column) => [column, sql.placeholder(column)]),
  ) as Record<keyof Row, Placeholder>;
  /** Prepared, because building the statement takes 15 times as long as running it. */
  const upsert = lazyStatement(() =>
    orm
      .insert(faults)
      .values(placeholders)
      .onConflictDoUpdate({
        target: faults.faultId,
        set: {
          lastAt: sql`excluded.last_at`,
          count: sql`excluded.count`,
          client: sql`excluded.client`,
          params: sql`excluded.params`,
          sample: sql`excluded.sample`,
        },
      }),
  );
  return {
    /** Lists all entries, least recent occurrence first. */
    list: (): FaultEntry[] => orm.select().from(faults).orderBy(asc(faults.lastAt)).all().map(toEntry),
    save: (saved: readonly FaultEntry[], removed: readonly string[]): void =>
      transact(() => {
        for (const faultId of removed) remove.run({ faultId });
        for (const entry of saved) upsert.run(toRow(entry));
      }),
  };
}

export type FaultsRepository = ReturnType<typeof createFaultsRepository>;
