import { t } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { sendPage, toPage } from "../api/lists.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { auditReader, resourceRoutes } from "../api/resource.routes.ts";
import { successBody, wholeNumber } from "../api/wire.schemas.ts";
import type { Endpoints } from "../connectivity/connectivity.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { isAllowed } from "../identity/permissions.ts";
import type { Principal } from "../users/users.types.ts";
import type { BridgeState } from "./bridge/bridge.types.ts";
import type { IntegrationEventsService } from "./events/integration-events.service.ts";
import type { IntegrationPreview } from "./inbound/integration-preview.ts";
import { integrationResource } from "./integrations.resource.ts";
import {
  eventBody,
  eventsQuery,
  OWN_DISCOVERY,
  previewBody,
  previewResponse,
  takenBody,
} from "./integrations.schemas.ts";
import type { IntegrationFilter, IntegrationsService } from "./integrations.service.ts";
import type { IntegrationEvent } from "./integrations.types.ts";
import { eventToWire, integrationToWire, listedToWire, takenToWire } from "./integrations.wire.ts";
import type { ShownIntegration } from "./shown-integration.ts";

const PAYLOADS =
  "Only callers with `integrations:write` get payloads, in which device access tokens are masked.";
const seesPayloads = (principal: Principal): boolean => isAllowed(principal, "integrations:write");
const shownTo = (principal: Principal) => (event: IntegrationEvent) =>
  eventToWire(event, seesPayloads(principal));
/** Routes for integrations with other networks and programs. */
export const integrationsRoutes = (deps: {
  integrations: IntegrationsService;
  integrationEvents: IntegrationEventsService;
  /** Returns the state of the connection to a broker. */
  bridgeOf: (integrationId: string) => BridgeState | undefined;
  hasWebhookSecret: (tenantId: TenantId) => boolean;
  endpointsFor: (requestUrl: string) => Endpoints;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { integrations, integrationEvents } = deps;
  return resourceRoutes(integrationResource, {
    service: integrations,
    longList: {
      responses: deps.responses,
      read: (principal, query) => integrations.read(principal, query as IntegrationFilter), // its schema
    },
    toWire: (integration: ShownIntegration, request) =>
      integrationToWire(integration, {
        origin: deps.endpointsFor(request.url).httpUrl,
        bridge: deps.bridgeOf(integration.integrationId),
        hasSecret: deps.hasWebhookSecret(integration.tenantId),
      }),
    read: auditReader(integrations, ["name", "type", "status", "isDefault", "settings_json", "mappingSteps"]),
    actions: {
      "set-default": {
        action: "set_default",
        operationId: "setDefaultIntegration",
        summary: "Set the default integration of a type",
        description: "The default takes the messages to the address of the type that name no integration.",
        errors: { 409: "The integration is not running." },
        run: integrations.setDefault,
      },
      start: {
        operationId: "startIntegration",
        summary: "Start an integration",
        description:
          "It accepts messages, once the tenant has a webhook secret, and connects to its broker. It becomes the default of its type if there is none.",
        errors: OWN_DISCOVERY,
        run: (principal, id) => integrations.setStatus(principal, id, "active"),
      },
      pause: {
        operationId: "pauseIntegration",
        summary: "Pause an integration",
        description: "Messages to it are refused.",
        run: (principal, id) => integrations.setStatus(principal, id, "paused"),
      },
    },
    auth: deps.auth,
  })
    .post("/preview", async ({ principal, body }) => toPreview(await integrations.preview(principal, body)), {
      auth: "integrations:write",
      audit: { none: "changes nothing" },
      body: previewBody,
      response: { 200: previewResponse },
      detail: {
        operationId: "previewIntegration",
        summary: "Test settings, mapping and script on a message",
        description: "Shows each stage. Nothing is stored, no device is created.",
        errors: {
          ...ALL_DEVICES_ONLY,
          400: "The settings are invalid.",
          404: "The integration or the codec is unknown.",
        },
        example: { type: "HTTP", payload: { deviceId: "press-1", temperature: 21.5 } },
      },
    })
    .get(
      "/:integrationId/events",
      async ({ principal, params, query, request }) => {
        const page = { ...query, ...toPage(query), isPayloadHidden: !seesPayloads(principal) };
        const { items, total } = await integrationEvents.list(principal, params.integrationId, page);
        const read = (event: (typeof items)[number]) => listedToWire(event, !page.isPayloadHidden);
        return sendPage({ request, responses: deps.responses }, page, { keys: items, total, read });
      },
      {
        auth: "integrations:read",
        query: eventsQuery,
        response: { 200: t.Array(eventBody) },
        detail: {
          operationId: "listIntegrationEvents",
          summary: "List events of an integration, the newest first",
          description: `The newest 1,000 events and another 1,000 failed ones (16 MiB in all) are kept. The list contains and searches only the first 8 KiB of a payload; a single event contains all of it. ${PAYLOADS}`,
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .delete(
      "/:integrationId/events",
      ({ principal, params }) => {
        integrationEvents.deleteAll(principal, params.integrationId);
        return { success: true };
      },
      {
        auth: "integrations:write",
        audit: { action: "integration.delete_events", target: "integration" },
        response: { 200: successBody },
        detail: {
          operationId: "deleteIntegrationEvents",
          summary: "Delete the events of an integration",
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .post(
      "/:integrationId/events/replay",
      ({ principal, params }) => integrationEvents.replayAll(principal, params.integrationId),
      {
        auth: "integrations:write",
        audit: { action: "integration.replay", target: "integration" },
        response: { 200: t.Object({ stored: wholeNumber(), failed: wholeNumber() }) },
        detail: {
          operationId: "replayIntegrationEvents",
          summary: "Replay all failed messages",
          description: "Uses the current settings, the oldest first, 1,000 at most.",
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .get(
      "/:integrationId/events/:eventId",
      ({ principal, params }) =>
        shownTo(principal)(integrationEvents.get(principal, params.integrationId, params.eventId)),
      {
        auth: "integrations:read",
        response: { 200: eventBody },
        detail: {
          operationId: "getIntegrationEvent",
          summary: "Get an event",
          description: `${PAYLOADS}`,
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .post(
      "/:integrationId/events/:eventId/replay",
      async ({ principal, params }) =>
        takenToWire(await integrationEvents.replay(principal, params.integrationId, params.eventId)),
      {
        auth: "integrations:write",
        audit: { action: "integration.replay", target: "integration" },
        response: { 200: takenBody },
        detail: {
          operationId: "replayIntegrationEvent",
          summary: "Replay the message of an event",
          description: "Uses the current settings and creates a new event.",
          errors: { ...ALL_DEVICES_ONLY, 409: "The message was not stored completely." },
        },
      },
    );
};

const toPreview = ({ ignored, errors, warnings, ...preview }: IntegrationPreview) => ({
  ...preview,
  ignored: ignored === null ? null : inEnglish(ignored),
  ignoredText: ignored,
  errors: errors.map(({ stage, text, line }) => ({ stage, message: inEnglish(text), ...text, line })),
  warnings: warnings.map(inEnglish),
  warningTexts: [...warnings],
});
