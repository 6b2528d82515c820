import { and, asc, count, desc, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { dataPipelines, dataPipelineVersions } from "./pipelines.tables.ts";
import type { Pipeline, PipelineCounts, PipelineVersion } from "./pipelines.types.ts";

type Row = typeof dataPipelines.$inferSelect;

const toPipeline = (row: Row): Pipeline => ({ ...row, tenantId: row.tenantId as TenantId }); // minted by us

/** Returns a lookup of current pipeline names. */
export function createPipelineNames({ orm }: MainDatabase) {
  const findName = orm
    .select({ name: dataPipelines.name })
    .from(dataPipelines)
    .where(eq(dataPipelines.pipelineId, sql.placeholder("pipelineId")))
    .prepare();
  return { nameOf: (pipelineId: string): string | undefined => findName.get({ pipelineId })?.name };
}

export function createPipelinesRepository({ orm }: MainDatabase) {
  const listed = (...conditions: Parameters<typeof and>) =>
    orm
      .select()
      .from(dataPipelines)
      .where(and(...conditions))
      .orderBy(asc(dataPipelines.order), asc(dataPipelines.pipelineId))
      .all()
      .map(toPipeline);
  const settable = (pipeline: Pipeline) => {
    const { name, description, status, order, scope, steps, version, updatedAt } = pipeline;
    const { lastError, lastErrorAt } = pipeline;
    return {
      name,
      description,
      status,
      order,
      scope,
      steps,
      version,
      updatedAt,
      lastError,
      lastErrorAt,
    };
  };
  return {
    /** Lists pipelines by their order. */
    list: (tenantId: TenantId): Pipeline[] => listed(eq(dataPipelines.tenantId, tenantId)),
    listActive: (tenantId: TenantId): Pipeline[] =>
      listed(eq(dataPipelines.tenantId, tenantId), eq(dataPipelines.status, "active")),
    find: (tenantId: TenantId, pipelineId: string): Pipeline | undefined =>
      listed(eq(dataPipelines.tenantId, tenantId), eq(dataPipelines.pipelineId, pipelineId))[0],
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(dataPipelines).where(eq(dataPipelines.tenantId, tenantId)).get()?.n ??
      0,
    insert: (pipeline: Pipeline): void => void orm.insert(dataPipelines).values(pipeline).run(),
    update: (pipeline: Pipeline): void =>
      void orm
        .update(dataPipelines)
        .set(settable(pipeline))
        .where(eq(dataPipelines.pipelineId, pipeline.pipelineId))
        .run(),
    delete: (pipelineId: string): void =>
      void orm.delete(dataPipelines).where(eq(dataPipelines.pipelineId, pipelineId)).run(),
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
    /** The newest first. */
    listVersions: (pipelineId: string): PipelineVersion[] =>
      orm
        .select()
        .from(dataPipelineVersions)
        .where(eq(dataPipelineVersions.pipelineId, pipelineId))
        .orderBy(desc(dataPipelineVersions.version))
        .all()
        .map(({ pipelineId: _, ...version }) => version),
    /** Keeps the newest `keptMax`. */
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
