import type { Static } from "@sinclair/typebox";
import { t } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { wholeList } from "../api/lists.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { auditReader, resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { stepTypes } from "./pipeline-steps.schemas.ts";
import { type Pipeline, pipelineResource, stepsExample } from "./pipelines.resource.ts";
import {
  newestMessageBody,
  previewBody,
  previewResponse,
  stepTypeBody,
  versionBody,
} from "./pipelines.schemas.ts";
import type { PipelinesService, ShownPipeline } from "./pipelines.service.ts";
import type { PipelineVersion } from "./pipelines.types.ts";

const rollbackBody = t.Object({ version: t.Integer({ minimum: 1 }) });
const versionList = wholeList({ sort: ["version", "createdAt"], search: ["by"] });

function toWire(pipeline: ShownPipeline) {
  const { messagesIn, messagesOut, messagesDropped, errors, ...rest } = itemToWire(pipeline);
  const { sent, died, waiting, dead, lastSentAt, lastError, lastErrorAt } = rest.webhooks;
  return {
    ...rest,
    stats: { in: messagesIn, out: messagesOut, dropped: messagesDropped, errors },
    webhooks: {
      sent,
      failed: died,
      waiting,
      dead,
      lastSentAt: iso(lastSentAt),
      lastError: lastError === null ? null : inEnglish(lastError),
      lastErrorText: lastError,
      lastErrorAt: iso(lastErrorAt),
    },
    lastError: rest.lastError === null ? null : inEnglish(rest.lastError),
    lastErrorText: rest.lastError,
    lastErrorAt: iso(rest.lastErrorAt),
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

interface PipelinesRoutesDeps {
  readonly pipelines: PipelinesService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const pipelinesRoutes = ({ pipelines, responses, auth }: PipelinesRoutesDeps) => {
  const read = auditReader(pipelines, ["name", "description", "status", "order", "scope", "steps"]);
  return resourceRoutes(pipelineResource, {
    service: pipelines,
    longList: { responses, read: pipelines.read },
    toWire,
    read,
    actions: {
      start: {
        operationId: "startDataPipeline",
        summary: "Start a data pipeline",
        errors: ALL_DEVICES_ONLY,
        run: (principal, id) => pipelines.setStatus(principal, id, "active"),
      },
      pause: {
        operationId: "pauseDataPipeline",
        summary: "Pause a data pipeline",
        description: "Its waiting webhooks are still sent.",
        errors: ALL_DEVICES_ONLY,
        run: (principal, id) => pipelines.setStatus(principal, id, "paused"),
      },
      rollback: {
        operationId: "rollbackDataPipeline",
        summary: "Restore an earlier version",
        description: "Its scope and steps become a new version.",
        errors: {
          ...ALL_DEVICES_ONLY,
          400: "The steps of the version would no longer be accepted.",
          404: "The version is no longer kept.",
        },
        body: rollbackBody,
        run: (principal, id, { version }: Static<typeof rollbackBody>) =>
          pipelines.rollBack(principal, id, version),
        example: { version: 3 },
      },
    },
    auth,
  })
    .post("/preview", ({ principal, body }) => pipelines.preview(principal, body), {
      auth: "pipelines:write",
      audit: { none: "changes nothing" },
      body: previewBody,
      response: { 200: previewResponse },
      detail: {
        operationId: "previewDataPipeline",
        summary: "Test steps on a message",
        description: "Returns the input and output of each step. Nothing is stored or sent.",
        example: {
          steps: stepsExample,
          telemetry: { t: 21.5 },
        },
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
          operationId: "getNewestMessage",
          summary: "Get the newest original message of a device",
          description:
            "The message before any pipeline, to test steps with. The gateway remembers it since the start, for 2,000 devices of pipelines; null if it is larger than about 16 kB.",
          errors: { 404: "The device is unknown." },
        },
      },
    )
    .get("/step-types", () => stepTypes, {
      auth: "pipelines:read",
      response: { 200: t.Array(stepTypeBody) },
      detail: {
        operationId: "listStepTypes",
        summary: "List the types of steps",
        description:
          "Each type has a description, its fields as JSON Schema, and an example, so that a client can build a form.",
      },
    })
    .get(
      "/:pipelineId/versions",
      ({ principal, params, query, request }) => {
        const versions = pipelines.readVersions(principal, params.pipelineId);
        return versionList.longPage({ query, request, responses }, mapRows(versions, versionToWire));
      },
      {
        auth: "pipelines:read",
        query: t.Object(versionList.fields),
        response: { 200: t.Array(versionBody) },
        detail: {
          operationId: "listDataPipelineVersions",
          summary: "List versions, the newest first",
          description: "The newest 50 are kept.",
        },
      },
    );
};
