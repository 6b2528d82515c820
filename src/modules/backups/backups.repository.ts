import { and, count, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Text } from "../../lib/texts/text.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { backupRuns } from "./backups.tables.ts";
import type { BackupTrigger, RunFilter, StoredBackupRun } from "./backups.types.ts";

const RUNS_KEPT = 500;

export function createBackupsRepository(database: MainDatabase) {
  const { orm } = database;
  // Prepared, as the health of the gateway asks for them every second.
  const newestDone = (condition?: SQL) =>
    lazyStatement(() =>
      orm
        .select()
        .from(backupRuns)
        .where(
          and(eq(backupRuns.state, "DONE"), gte(backupRuns.startedAt, sql.placeholder("since")), condition),
        )
        .orderBy(desc(backupRuns.runId))
        .limit(1),
    );
  const newestGood = newestDone();
  const newestOpened = newestDone(eq(backupRuns.openedAll, true));
  return {
    /** Adds a run that starts now, and deletes the oldest runs. */
    beginRun(trigger: BackupTrigger, startedAt: number): StoredBackupRun {
      const run = orm.insert(backupRuns).values({ trigger, state: "RUNNING", startedAt }).returning().get();
      orm
        .delete(backupRuns)
        .where(lt(backupRuns.runId, run.runId - RUNS_KEPT))
        .run();
      return run;
    },
    endRun: (runId: number, changes: Partial<StoredBackupRun>): void =>
      void orm.update(backupRuns).set(changes).where(eq(backupRuns.runId, runId)).run(),
    /** Marks runs that were interrupted by a stop of the gateway. */
    endInterrupted: (finishedAt: number, error: Text): void =>
      void orm
        .update(backupRuns)
        .set({ state: "FAILED", finishedAt, error })
        .where(eq(backupRuns.state, "RUNNING"))
        .run(),
    /** Lists runs, newest first; `search` is part of a snapshot's id. */
    listRuns({ limit, offset, search }: RunFilter): { items: StoredBackupRun[]; total: number } {
      const where =
        search === undefined ? undefined : sql`instr(lower(${backupRuns.snapshotId}), lower(${search})) > 0`;
      const items = orm
        .select()
        .from(backupRuns)
        .where(where)
        .orderBy(desc(backupRuns.runId))
        .limit(limit)
        .offset(offset)
        .all();
      return { items, total: orm.select({ count: count() }).from(backupRuns).where(where).get()?.count ?? 0 };
    },
    newestRun: (): StoredBackupRun | undefined =>
      orm.select().from(backupRuns).orderBy(desc(backupRuns.runId)).limit(1).get(),
    /** Returns the newest successful run that started at `since` or later. */
    newestGoodRun: (since: number): StoredBackupRun | undefined => newestGood.get({ since }),
    newestOpenedRun: (since: number): StoredBackupRun | undefined => newestOpened.get({ since }),
  };
}

export type BackupsRepository = ReturnType<typeof createBackupsRepository>;
