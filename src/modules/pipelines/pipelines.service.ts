import { defined } from "../../lib/defined.ts";
import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import { toPlainJson } from "../../lib/plain-json.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { PipelineEngine } from "./pipeline-engine.ts";
import { type Preview, previewSteps } from "./pipeline-preview.ts";
import { pipelineNotFound, tooManyPipelines, versionNotFound } from "./pipelines.errors.ts";
import type { PipelinesRepository } from "./pipelines.repository.ts";
import type { Pipeline, PipelineChanges, PipelineStatus, PipelineVersion } from "./pipelines.types.ts";
import { compileSteps, type Step } from "./step-engine.ts";

const PIPELINES_MAX = 100;
const VERSIONS_KEPT = 50;
/** Of the steps of one pipeline, as JSON. */
const STEPS_BYTES_MAX = 64 * 1024;

export interface PreviewRequest {
  readonly steps: unknown;
  readonly telemetry: unknown;
  /** Epoch ms; now unless given. */
  readonly ts?: number | undefined;
  readonly context?: unknown;
}

/** Data pipelines of a tenant. Writing is `forbidden` without access to all devices: a pipeline changes what all of them send. */
export interface PipelinesService {
  /** In the order in which they run. */
  list(principal: Principal): Pipeline[];
  get(principal: Principal, pipelineId: string): Pipeline;
  create(principal: Principal, pipeline: PipelineChanges & { name: string }): Pipeline;
  update(principal: Principal, pipelineId: string, changes: PipelineChanges): Pipeline;
  delete(principal: Principal, pipelineId: string): void;
  setStatus(principal: Principal, pipelineId: string, status: PipelineStatus): Pipeline;
  listVersions(principal: Principal, pipelineId: string): PipelineVersion[];
  /** Brings scope and steps of an earlier version back, as a new one. */
  rollBack(principal: Principal, pipelineId: string, version: number): Pipeline;
  preview(principal: Principal, request: PreviewRequest): Preview;
}

/** Checked, and small enough to be kept. */
function checkSteps(given: unknown): readonly Step[] {
  const plain = toPlainJson(given, "telemetry");
  compileSteps(plain);
  if (Buffer.byteLength(JSON.stringify(plain)) > STEPS_BYTES_MAX)
    throw invalid("step.too_large", `steps: together at most ${STEPS_BYTES_MAX} bytes`);
  return plain as unknown as Step[]; // each was just compiled, so each is an object with a type
}

export function createPipelinesService(deps: {
  repository: PipelinesRepository;
  engine: PipelineEngine;
  transact: (work: () => void) => void;
  clock: Clock;
}): PipelinesService {
  const { repository, engine, clock } = deps;

  function find({ tenantId }: Principal, pipelineId: string): Pipeline {
    const pipeline = repository.find(tenantId, pipelineId);
    if (pipeline === undefined) throw pipelineNotFound();
    return pipeline;
  }

  const withCounts = (pipeline: Pipeline): Pipeline => ({ ...pipeline, ...engine.countsOf(pipeline) });

  function save(principal: Principal, pipeline: Pipeline, write: (pipeline: Pipeline) => void): Pipeline {
    const { version, scope, steps, updatedAt } = pipeline;
    const by = principal.apiKey?.name ?? principal.email;
    deps.transact(() => {
      write(pipeline);
      const isKept = repository.listVersions(pipeline.pipelineId).some((kept) => kept.version === version);
      if (!isKept)
        repository.addVersion(
          pipeline.pipelineId,
          { version, scope, steps, by, createdAt: updatedAt },
          VERSIONS_KEPT,
        );
    });
    engine.changed(principal.tenantId);
    return withCounts(pipeline);
  }

  function change(principal: Principal, current: Pipeline, changes: Partial<Pipeline>): Pipeline {
    const isNew = changes.steps !== undefined || changes.scope !== undefined;
    const version = current.version + (isNew ? 1 : 0);
    return save(principal, { ...current, ...changes, version, updatedAt: clock.now() }, repository.update);
  }

  return {
    list: ({ tenantId }) => repository.list(tenantId).map(withCounts),
    get: (principal, pipelineId) => withCounts(find(principal, pipelineId)),
    create(principal, { name, steps, ...given }) {
      ensureAllDevices(principal, "create data pipelines");
      if (repository.count(principal.tenantId) >= PIPELINES_MAX) throw tooManyPipelines(PIPELINES_MAX);
      const now = clock.now();
      const pipeline: Pipeline = {
        pipelineId: newId(),
        tenantId: principal.tenantId,
        name,
        description: "",
        status: "draft",
        order: 0,
        scope: {},
        ...defined(given),
        steps: checkSteps(steps ?? []),
        version: 1,
        messagesIn: 0,
        messagesOut: 0,
        messagesDropped: 0,
        errors: 0,
        lastError: null,
        lastErrorAt: null,
        createdAt: now,
        updatedAt: now,
      };
      return save(principal, pipeline, repository.insert);
    },
    update(principal, pipelineId, { steps, ...changes }) {
      ensureAllDevices(principal, "change data pipelines");
      const current = find(principal, pipelineId);
      return change(principal, current, {
        ...defined(changes),
        ...(steps !== undefined && { steps: checkSteps(steps) }),
      });
    },
    delete(principal, pipelineId) {
      ensureAllDevices(principal, "delete data pipelines");
      repository.delete(find(principal, pipelineId).pipelineId);
      engine.changed(principal.tenantId);
    },
    setStatus(principal, pipelineId, status) {
      ensureAllDevices(principal, "start and pause data pipelines");
      return change(principal, find(principal, pipelineId), { status });
    },
    listVersions: (principal, pipelineId) => repository.listVersions(find(principal, pipelineId).pipelineId),
    rollBack(principal, pipelineId, version) {
      ensureAllDevices(principal, "change data pipelines");
      const current = find(principal, pipelineId);
      const wanted = repository.listVersions(pipelineId).find((kept) => kept.version === version);
      if (wanted === undefined) throw versionNotFound();
      return change(principal, current, { scope: wanted.scope, steps: checkSteps(wanted.steps) });
    },
    preview({ tenantId }, { steps, telemetry, ts, context }) {
      if (!isJsonObject(telemetry))
        throw invalid("telemetry.body_invalid", "telemetry must be an object of keys to values");
      const values: Record<string, TelemetryValue> = Object.create(null);
      for (const [key, value] of Object.entries(telemetry)) {
        const plain = toPlainJson(value, "telemetry");
        if (plain !== null && key !== "") values[key] = plain;
      }
      const given = isJsonObject(context) ? context : {};
      const text = (name: string) => {
        const value = given[name];
        return typeof value === "string" ? { [name]: value } : {};
      };
      const known = { ...text("deviceId"), ...text("profileId"), tenantId, attributes: given.attributes };
      return previewSteps(steps, { ts: ts ?? clock.now(), values }, known);
    },
  };
}
