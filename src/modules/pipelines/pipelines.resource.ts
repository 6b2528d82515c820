import { conflict } from "../../lib/core/domain-error.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { defineResource } from "../api/resource.ts";
import { pipelineNotFound } from "./pipelines.errors.ts";
import { createPipelineBody, pipelineBody, updatePipelineBody } from "./pipelines.schemas.ts";
import { dataPipelines } from "./pipelines.tables.ts";

/** Example steps of a pipeline, for the OpenAPI document. */
export const stepsExample = [
  { type: "rename_keys", mapping: { t: "temperature" } },
  { type: "filter_range", keys: ["temperature"], min: -40, max: 85 },
];

/** Max. pipelines of a tenant. */
const PIPELINES_MAX = 100;

/** Data pipelines, which process telemetry before it is stored. */
export const pipelineResource = defineResource({
  name: "pipeline",
  table: dataPipelines,
  key: "pipelineId",
  path: "/api/data-pipelines",
  tag: "data pipelines",
  permissions: { read: "pipelines:read", write: "pipelines:write" },
  order: { by: "order" },
  list: { sort: ["order", "name", "status", "createdAt", "updatedAt"], search: ["name", "description"] },
  notFound: pipelineNotFound,
  limit: { max: PIPELINES_MAX, reached: (max) => conflict("pipeline.too_many", { max }) },
  schemas: { item: pipelineBody, create: createPipelineBody, update: updatePipelineBody },
  operations: {
    list: { summary: "List data pipelines in running order" },
    create: {
      summary: "Create a data pipeline",
      description: "The pipeline is a draft until it is started, unless you set `status`.",
      errors: {
        ...ALL_DEVICES_ONLY,
        400: "A step is invalid; the message names it and the reason.",
        404: "A device or profile in the scope does not exist.",
        409: `There are already ${PIPELINES_MAX} pipelines.`,
      },
      example: {
        name: "Names and limits",
        scope: { deviceTypes: ["press"] },
        steps: stepsExample,
      },
    },
    get: { summary: "Get a data pipeline" },
    update: {
      summary: "Change a data pipeline",
      description:
        "A change to an active pipeline applies from the next message on. Changed steps or a changed scope become a new version.",
      errors: {
        ...ALL_DEVICES_ONLY,
        404: "The pipeline, or a device or profile added to its scope, does not exist.",
      },
      example: {
        steps: stepsExample,
      },
    },
    delete: {
      summary: "Delete a data pipeline",
      description: "Its waiting webhooks and dead letters are deleted too.",
      errors: ALL_DEVICES_ONLY,
    },
  },
});

export type Pipeline = typeof pipelineResource.$item;
