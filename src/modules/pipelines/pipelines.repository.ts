import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Pipeline, pipelineResource } from "./pipelines.resource.ts";
import { dataPipelines, dataPipelineVersions } from "./pipelines.tables.ts";
import type { PipelineCounts, PipelineVersion } from "./pipelines.types.ts";
import type { Step } from "./step-engine.ts";

/** Returns a lookup of current pipeline names. */
export function createPipelineNames({ orm }: MainDatabase) {
  const findName = lazyStatement(() =>
    orm
      .select({ name: dataPipelines.name })
      .from(dataPipelines)
      .where(eq(dataPipelines.pipelineId, sql.placeholder("pipelineId"))),
  );
  return { nameOf: (pipelineId: string): string | undefined => findName.get({ pipelineId })?.name };
}

export function createPipelinesRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const store = pipelineResource.createStore(database, clock);
  const versionOf = lazyStatement(() =>
    orm
      .select()
      .from(dataPipelineVersions)
      .where(
        and(
          eq(dataPipelineVersions.pipelineId, sql.placeholder("pipelineId")),
          eq(dataPipelineVersions.version, sql.placeholder("version")),
        ),
      ),
  );
  const versionHeads = (pipelineId: string): Pick<PipelineVersion, "version" | "by" | "createdAt">[] =>
    orm
      .select(omit(getTableColumns(dataPipelineVersions), "pipelineId", "scope", "steps"))
      .from(dataPipelineVersions)
      .where(eq(dataPipelineVersions.pipelineId, pipelineId))
      .orderBy(desc(dataPipelineVersions.version))
      .all();
  function findVersion(pipelineId: string, version: number): PipelineVersion | undefined {
    const found = versionOf.get({ pipelineId, version });
    return found && omit(found, "pipelineId");
  }
  return {
    ...store,
    listActive: (tenantId: TenantId): Pipeline[] =>
      store.list(tenantId).filter(({ status }) => status === "active"),
    addCounts: (pipelineId: string, counts: PipelineCounts): void =>
      void orm
        .update(dataPipelines)
        .set({
          messagesIn: sql`${dataPipelines.messagesIn} + ${counts.messagesIn}`,
          messagesOut: sql`${dataPipelines.messagesOut} + ${counts.messagesOut}`,
          messagesDropped: sql`${dataPipelines.messagesDropped} + ${counts.messagesDropped}`,
          errors: sql`${dataPipelines.errors} + ${counts.errors}`,
          ...(counts.lastError !== null && { lastError: counts.lastError, lastErrorAt: counts.lastErrorAt }),
        })
        .where(eq(dataPipelines.pipelineId, pipelineId))
        .run(),
    /** Changes the steps with webhooks of all tenants, including those of versions. Steps that `change` returns unchanged are not written. */
    changeWebhookSteps(change: (steps: readonly Step[]) => readonly Step[]): void {
      for (const table of [dataPipelines, dataPipelineVersions]) {
        const rows = orm.select({ row: sql<number>`rowid` }).from(table);
        for (const { row } of rows.where(sql`instr(${table.steps}, 'webhook_forward') > 0`).all()) {
          const isRow = sql`rowid = ${row}`;
          const { steps = [] } = orm.select({ steps: table.steps }).from(table).where(isRow).get() ?? {};
          const changed = change(steps);
          if (!Bun.deepEquals(changed, steps)) orm.update(table).set({ steps: changed }).where(isRow).run();
        }
      }
    },
    /** Returns the heads of the versions, newest first. */
    versionHeads,
    findVersion,
    /** Yields the steps of the tenant's pipelines, and of the versions of one of them, one row after the other. */
    *storedSteps(tenantId: TenantId, pipelineId = ""): Generator<readonly Step[]> {
      for (const { pipelineId: id } of store.heads(tenantId)) yield store.find(tenantId, id)?.steps ?? [];
      for (const { version } of versionHeads(pipelineId)) yield findVersion(pipelineId, version)?.steps ?? [];
    },
    /** Adds a version, keeping the newest `keptMax`. */
    addVersion(pipelineId: string, version: PipelineVersion, keptMax: number): void {
      orm
        .insert(dataPipelineVersions)
        .values({ pipelineId, ...version })
        .run();
      orm
        .delete(dataPipelineVersions)
        .where(
          and(
            eq(dataPipelineVersions.pipelineId, pipelineId),
            sql`${dataPipelineVersions.version} <= ${version.version - keptMax}`,
          ),
        )
        .run();
    },
  };
}

export type PipelinesRepository = ReturnType<typeof createPipelinesRepository>;
