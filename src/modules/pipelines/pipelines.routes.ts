import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/domain-error.ts";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import {
  createPipelineBody,
  newestMessageBody,
  pipelineBody,
  previewAnswer,
  previewBody,
  stepTypeBody,
  updatePipelineBody,
  versionBody,
} from "./pipelines.schemas.ts";
import type { PipelinesService } from "./pipelines.service.ts";
import type { Pipeline, PipelineVersion, ShownPipeline } from "./pipelines.types.ts";
import { stepDefinitions } from "./step-types.ts";

const pipelineList = wholeList({
  sort: ["order", "name", "status", "createdAt", "updatedAt"],
  search: ["name", "description"],
});

const versionList = wholeList({ sort: ["version", "createdAt"], search: ["by"] });

const isoOrNull = (timeMs: number | null) => (timeMs === null ? null : iso(timeMs));

function toWire(pipeline: ShownPipeline) {
  const { tenantId: _, messagesIn, messagesOut, messagesDropped, errors, ...rest } = pipeline;
  const { sent, died, waiting, dead, lastSentAt, lastError, lastErrorAt } = rest.webhooks;
  return {
    ...rest,
    scope: mutable(rest.scope),
    steps: [...rest.steps],
    stats: { in: messagesIn, out: messagesOut, dropped: messagesDropped, errors },
    webhooks: {
      sent,
      failed: died,
      waiting,
      dead,
      lastSentAt: isoOrNull(lastSentAt),
      lastError: lastError === null ? null : inEnglish(lastError),
      lastErrorText: lastError,
      lastErrorAt: isoOrNull(lastErrorAt),
    },
    lastError: rest.lastError === null ? null : inEnglish(rest.lastError),
    lastErrorText: rest.lastError,
    lastErrorAt: isoOrNull(rest.lastErrorAt),
    createdAt: iso(rest.createdAt),
    updatedAt: iso(rest.updatedAt),
  };
}

const mutable = ({ deviceIds, deviceTypes, profileIds }: Pipeline["scope"]) => ({
  ...(deviceIds && { deviceIds: [...deviceIds] }),
  ...(deviceTypes && { deviceTypes: [...deviceTypes] }),
  ...(profileIds && { profileIds: [...profileIds] }),
});

const versionToWire = ({ version, scope, steps, by, createdAt }: PipelineVersion) => ({
  version,
  scope: mutable(scope),
  steps: [...steps],
  by,
  createdAt: iso(createdAt),
});

const stepTypes = stepDefinitions.map(({ type, summary, fields, example }) => ({
  type,
  summary,
  fields,
  example,
}));

const writers = "403 without access to all devices.";

/** Data pipelines: what telemetry goes through before it is stored. */
export const pipelinesRoutes = (deps: { pipelines: PipelinesService; auth: AuthPlugin }) => {
  const { pipelines } = deps;
  const read = ({ principal }: AuditContext, id: string) => {
    const { pipelineId: _, name, description, status, order, scope, steps } = pipelines.get(principal, id);
    return { name, description, status, order, scope, steps };
  };
  return new Elysia({ prefix: "/api/data-pipelines", tags: ["data pipelines"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, request, set }) =>
        pipelineList.page({ query, request, set }, pipelines.list(principal).map(toWire)),
      {
        auth: "pipelines:read",
        query: t.Object(pipelineList.fields),
        response: { 200: t.Array(pipelineBody) },
        detail: { summary: "List data pipelines, in the order in which they run" },
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        set.status = 201;
        return toWire(pipelines.create(principal, body));
      },
      {
        auth: "pipelines:write",
        audit: { action: "pipeline.create", target: "pipeline", created: "pipelineId", read },
        body: createPipelineBody,
        response: { 201: pipelineBody },
        detail: {
          summary: "Create a data pipeline",
          description: `It is a draft until it is started, unless \`status\` says otherwise. 400 names the step and what is wrong with it; 404 for a device or profile in the scope that does not exist; 409 when there are 100. ${writers}`,
        },
      },
    )
    .post("/preview", ({ principal, body }) => pipelines.preview(principal, body), {
      auth: "pipelines:write",
      audit: { none: "changes nothing" },
      body: previewBody,
      response: { 200: previewAnswer },
      detail: {
        summary: "Test steps on a message",
        description: "Returns the input and output of each step. Nothing is stored or sent.",
      },
    })
    .get(
      "/newest-message/:deviceId",
      ({ principal, params }) => {
        const reading = pipelines.newestMessage(principal, params.deviceId);
        return {
          message: reading === undefined ? null : { ts: reading.ts, telemetry: { ...reading.values } },
        };
      },
      {
        auth: "pipelines:write",
        response: { 200: newestMessageBody },
        detail: {
          summary: "Get the newest original message of a device",
          description:
            "The message before any pipeline, to test steps with. The gateway remembers it since the start, for 2,000 devices of pipelines. 404 for an unknown device.",
        },
      },
    )
    .get("/step-types", () => stepTypes, {
      auth: "pipelines:read",
      response: { 200: t.Array(stepTypeBody) },
      detail: {
        summary: "List the types of steps",
        description:
          "Each type has a description, its fields as JSON Schema, and an example, so that a client can build a form.",
      },
    })
    .get("/:pipelineId", ({ principal, params }) => toWire(pipelines.get(principal, params.pipelineId)), {
      auth: "pipelines:read",
      response: { 200: pipelineBody },
      detail: { summary: "Get a data pipeline" },
    })
    .patch(
      "/:pipelineId",
      ({ principal, params, body }) => toWire(pipelines.update(principal, params.pipelineId, body)),
      {
        auth: "pipelines:write",
        audit: { action: "pipeline.update", target: "pipeline", read },
        body: updatePipelineBody,
        response: { 200: pipelineBody },
        detail: {
          summary: "Change a data pipeline",
          description: `The change of an active pipeline applies from the next message on. Changed steps or a changed scope become a new version. 404 for a device or profile that does not exist and is new in the scope. ${writers}`,
        },
      },
    )
    .delete(
      "/:pipelineId",
      ({ principal, params }) => {
        pipelines.delete(principal, params.pipelineId);
        return { success: true };
      },
      {
        auth: "pipelines:write",
        audit: { action: "pipeline.delete", target: "pipeline", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete a data pipeline",
          description: `Its waiting webhooks and dead letters are deleted too. ${writers}`,
        },
      },
    )
    .post(
      "/:pipelineId/start",
      ({ principal, params }) => toWire(pipelines.setStatus(principal, params.pipelineId, "active")),
      {
        auth: "pipelines:write",
        audit: { action: "pipeline.start", target: "pipeline", read },
        response: { 200: pipelineBody },
        detail: { summary: "Start a data pipeline", description: writers },
      },
    )
    .post(
      "/:pipelineId/pause",
      ({ principal, params }) => toWire(pipelines.setStatus(principal, params.pipelineId, "paused")),
      {
        auth: "pipelines:write",
        audit: { action: "pipeline.pause", target: "pipeline", read },
        response: { 200: pipelineBody },
        detail: {
          summary: "Pause a data pipeline",
          description: `Its waiting webhooks are still sent. ${writers}`,
        },
      },
    )
    .get(
      "/:pipelineId/versions",
      ({ principal, params, query, request, set }) => {
        const versions = pipelines.listVersions(principal, params.pipelineId).map(versionToWire);
        return versionList.page({ query, request, set }, versions);
      },
      {
        auth: "pipelines:read",
        query: t.Object(versionList.fields),
        response: { 200: t.Array(versionBody) },
        detail: { summary: "List versions, the newest first", description: "The newest 50 are kept." },
      },
    )
    .post(
      "/:pipelineId/rollback",
      ({ principal, params, body }) => toWire(pipelines.rollBack(principal, params.pipelineId, body.version)),
      {
        auth: "pipelines:write",
        audit: { action: "pipeline.rollback", target: "pipeline", read },
        body: t.Object({ version: t.Integer({ minimum: 1 }) }),
        response: { 200: pipelineBody },
        detail: {
          summary: "Restore an earlier version",
          description: `Its scope and steps become a new version. 404 if it is no longer kept. ${writers}`,
        },
      },
    );
};
