import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { sendPage, toPage } from "../api/lists.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { successBody, wholeNumber } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { OutboundEntry } from "../outbound/outbound.types.ts";
import type { DeliveriesService } from "./deliveries.service.ts";
import { deliveryBody, listDeliveriesQuery, wholeDelivery } from "./pipelines.schemas.ts";

const toWire = ({ source, orderKey, createdAt, nextAttemptAt, diedAt, state, ...rest }: OutboundEntry) => ({
  deliveryId: rest.deliveryId,
  pipelineId: source.id,
  deviceId: orderKey,
  url: rest.url,
  method: rest.method,
  state: state === "DEAD" ? ("dead" as const) : ("waiting" as const),
  attempts: rest.attempts,
  lastStatus: rest.lastStatus,
  lastError: rest.lastError === null ? null : inEnglish(rest.lastError),
  lastErrorText: rest.lastError,
  bytes: rest.bytes,
  createdAt: iso(createdAt) ?? "",
  nextAttemptAt: iso(nextAttemptAt),
  diedAt: iso(diedAt),
});

/** Creates the routes for waiting webhooks and dead letters of pipelines. */
export const deliveriesRoutes = (deps: {
  deliveries: DeliveriesService;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { deliveries } = deps;
  const read = ({ principal }: AuditContext, id: string) => {
    const { source, url, attempts, lastError, createdAt } = deliveries.get(principal, id);
    return { pipelineId: source.id, url, attempts, lastError, createdAt: iso(createdAt) };
  };
  return new Elysia({ prefix: "/api/data-pipelines", tags: ["data pipelines"] })
    .use(deps.auth)
    .get(
      "/deliveries",
      ({ principal, query, request }) => {
        const page = toPage(query);
        const found = deliveries.list(principal, { ...query, ...page });
        return sendPage({ request, responses: deps.responses }, page, mapRows(found, toWire));
      },
      {
        auth: "pipelines:read",
        query: listDeliveriesQuery,
        response: { 200: t.Array(deliveryBody) },
        detail: {
          operationId: "listDeliveries",
          summary: "List waiting webhooks and dead letters",
          description: "Delivered webhooks are not listed.",
          errors: { ...ALL_DEVICES_ONLY, 404: "The pipeline is unknown." },
        },
      },
    )
    .get(
      "/deliveries/:deliveryId",
      ({ principal, params }) => {
        const entry = deliveries.get(principal, params.deliveryId);
        return { ...toWire(entry), body: entry.body };
      },
      {
        auth: "pipelines:read",
        response: { 200: wholeDelivery },
        detail: {
          operationId: "getDelivery",
          summary: "Get a webhook with its body",
          errors: { ...ALL_DEVICES_ONLY, 404: "The delivery was delivered or deleted." },
        },
      },
    )
    .post(
      "/deliveries/:deliveryId/replay",
      ({ principal, params }) => toWire(deliveries.replay(principal, params.deliveryId)),
      {
        auth: "pipelines:write",
        audit: { action: "delivery.replay", target: "delivery", read },
        response: { 200: deliveryBody },
        detail: {
          operationId: "replayDelivery",
          summary: "Replay a dead letter",
          description:
            "It waits again, for at most 24 hours. It goes to the current target of the webhook step with its address, or of the pipeline's only webhook step. Its delivery id changes with the target.",
          errors: { ...ALL_DEVICES_ONLY, 404: "The delivery was deleted.", 409: "The delivery is waiting." },
        },
      },
    )
    .delete(
      "/deliveries/:deliveryId",
      ({ principal, params }) => {
        deliveries.delete(principal, params.deliveryId);
        return { success: true };
      },
      {
        auth: "pipelines:write",
        audit: { action: "delivery.delete", target: "delivery", read },
        response: { 200: successBody },
        detail: {
          operationId: "deleteDelivery",
          summary: "Delete a waiting webhook or a dead letter",
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .post(
      "/:pipelineId/deliveries/replay",
      async ({ principal, params }) => ({
        replayed: await deliveries.replayAll(principal, params.pipelineId),
      }),
      {
        auth: "pipelines:write",
        audit: { action: "delivery.replay-all", target: "pipeline" },
        response: { 200: t.Object({ replayed: wholeNumber() }) },
        detail: {
          operationId: "replayDeliveriesOfPipeline",
          summary: "Replay all dead letters of a pipeline",
          description: "Sends them in their original order, 10,000 at most.",
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .delete(
      "/:pipelineId/deliveries",
      async ({ principal, params, query }) => ({
        deleted: await deliveries.deleteAll(principal, params.pipelineId, query.state),
      }),
      {
        auth: "pipelines:write",
        audit: { action: "delivery.delete-all", target: "pipeline" },
        query: t.Pick(listDeliveriesQuery, ["state"]),
        response: { 200: t.Object({ deleted: wholeNumber() }) },
        detail: {
          operationId: "deleteDeliveriesOfPipeline",
          summary: "Delete a pipeline's webhooks or dead letters",
          description: "Both unless `state` says which.",
          errors: ALL_DEVICES_ONLY,
        },
      },
    );
};
