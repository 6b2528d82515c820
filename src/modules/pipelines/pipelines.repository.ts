import { and, asc, count, desc, eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { dataPipelines, dataPipelineVersions } from "./pipelines.tables.ts";
import type { Pipeline, PipelineCounts, PipelineVersion } from "./pipelines.types.ts";

export interface PipelinesRepository {
  /** By their order. */
  list(tenantId: TenantId): Pipeline[];
  listActive(tenantId: TenantId): Pipeline[];
  find(tenantId: TenantId, pipelineId: string): Pipeline | undefined;
  count(tenantId: TenantId): number;
  insert(pipeline: Pipeline): void;
  update(pipeline: Pipeline): void;
  delete(pipelineId: string): void;
  addCounts(pipelineId: string, counts: PipelineCounts): void;
  /** The newest first. */
  listVersions(pipelineId: string): PipelineVersion[];
  /** Keeps the newest `keptMax`. */
  addVersion(pipelineId: string, version: PipelineVersion, keptMax: number): void;
}

type Row = typeof dataPipelines.$inferSelect;

const toPipeline = (row: Row): Pipeline => ({ ...row, tenantId: row.tenantId as TenantId }); // minted by us

export function createPipelinesRepository({ orm }: MainDatabase): PipelinesRepository {
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
    list: (tenantId) => listed(eq(dataPipelines.tenantId, tenantId)),
    listActive: (tenantId) =>
      listed(eq(dataPipelines.tenantId, tenantId), eq(dataPipelines.status, "active")),
    find: (tenantId, pipelineId) =>
      listed(eq(dataPipelines.tenantId, tenantId), eq(dataPipelines.pipelineId, pipelineId))[0],
    count: (tenantId) =>
      orm.select({ n: count() }).from(dataPipelines).where(eq(dataPipelines.tenantId, tenantId)).get()?.n ??
      0,
    insert: (pipeline) => void orm.insert(dataPipelines).values(pipeline).run(),
    update: (pipeline) =>
      void orm
        .update(dataPipelines)
        .set(settable(pipeline))
        .where(eq(dataPipelines.pipelineId, pipeline.pipelineId))
        .run(),
    delete: (pipelineId) =>
      void orm.delete(dataPipelines).where(eq(dataPipelines.pipelineId, pipelineId)).run(),
    addCounts: (pipelineId, counts) =>
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
    listVersions: (pipelineId) =>
      orm
        .select()
        .from(dataPipelineVersions)
        .where(eq(dataPipelineVersions.pipelineId, pipelineId))
        .orderBy(desc(dataPipelineVersions.version))
        .all()
        .map(({ pipelineId: _, ...version }) => version),
    addVersion(pipelineId, version, keptMax) {
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
