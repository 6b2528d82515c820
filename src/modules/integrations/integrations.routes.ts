import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { Endpoints } from "../connectivity/connectivity.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { isAllowed } from "../identity/permissions.ts";
import { listHeaders, toPage, wholeList } from "../lists.ts";
import type { Principal } from "../users/users.types.ts";
import { successBody, wholeNumber } from "../wire.schemas.ts";
import type { BridgeState } from "./bridge/bridge.types.ts";
import { ensureTopicDevice } from "./bridge/topic-device.ts";
import type { IntegrationEventsService } from "./integration-events.service.ts";
import type { IntegrationPreview } from "./integration-preview.ts";
import { typeFixed } from "./integrations.errors.ts";
import {
  createIntegrationBody,
  eventBody,
  eventsQuery,
  integrationBody,
  previewAnswer,
  previewBody,
  takenBody,
  typeBody,
  updateIntegrationBody,
} from "./integrations.schemas.ts";
import type { IntegrationsService } from "./integrations.service.ts";
import type { IntegrationEvent } from "./integrations.types.ts";
import { eventToWire, integrationToWire, listedToWire, takenToWire } from "./integrations.wire.ts";
import type { ShownIntegration } from "./shown-integration.ts";

const integrationList = wholeList({
  sort: ["name", "type", "status", "createdAt", "updatedAt"],
  search: ["name"],
});

const allDevices = "403 without access to all devices.";
const payloads =
  "Only callers with `integrations:write` get payloads, in which device access tokens are masked.";
const seesPayloads = (principal: Principal): boolean => isAllowed(principal, "integrations:write");
const shownTo = (principal: Principal) => (event: IntegrationEvent) =>
  eventToWire(event, seesPayloads(principal));
const ownDiscovery = "409 if another running integration receives the same announcements for Home Assistant.";
const updateDescription = `It applies at once. ${ownDiscovery} ${allDevices}`;

/** Other networks and programs from which devices come. */
export const integrationsRoutes = (deps: {
  integrations: IntegrationsService;
  integrationEvents: IntegrationEventsService;
  /** Returns how the connection to a broker is. */
  bridgeOf: (integrationId: string) => BridgeState | undefined;
  hasWebhookSecret: (tenantId: TenantId) => boolean;
  endpointsFor: (requestUrl: string) => Endpoints;
  auth: AuthPlugin;
}) => {
  const { integrations, integrationEvents } = deps;
  const wire = (integration: ShownIntegration, request: Request) =>
    integrationToWire(integration, {
      origin: deps.endpointsFor(request.url).httpUrl,
      bridge: deps.bridgeOf(integration.integrationId),
      hasSecret: deps.hasWebhookSecret(integration.tenantId),
    });
  const read = ({ principal }: AuditContext, id: string) => {
    const { name, type, status, isDefault, settings_json, mappingSteps } = integrations.get(principal, id);
    return { name, type, status, isDefault, settings_json, mappingSteps };
  };
  return new Elysia({ prefix: "/api/integrations", tags: ["integrations"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, request, set }) => {
        const items = integrations.list(principal, query).map((item) => wire(item, request));
        return integrationList.page({ query, request, set }, items);
      },
      {
        auth: "integrations:read",
        query: t.Object({
          ...integrationList.fields,
          type: t.Optional(typeBody),
          status: t.Optional(t.String({ enum: ["draft", "active", "paused", "error"] })),
        }),
        response: { 200: t.Array(integrationBody) },
        detail: { summary: "List integrations, by name" },
      },
    )
    .post(
      "",
      async ({ principal, body, request, set }) => {
        await ensureTopicDevice(body.settings_json);
        set.status = 201;
        return wire(await integrations.create(principal, body), request);
      },
      {
        auth: "integrations:write",
        audit: { action: "integration.create", target: "integration", created: "integrationId", read },
        body: createIntegrationBody,
        response: { 201: integrationBody },
        detail: {
          summary: "Create an integration",
          description: `The integration is a draft unless \`status\` says otherwise. The first running integration of a type becomes the default of the type; a draft or a paused one never does. 400 names what is wrong; 409 when there are 100, when another running integration receives the same announcements for Home Assistant, and for \`isDefault\` on an integration that is not running. ${allDevices}`,
        },
      },
    )
    .post("/preview", async ({ principal, body }) => toPreview(await integrations.preview(principal, body)), {
      auth: "integrations:write",
      audit: { none: "changes nothing" },
      body: previewBody,
      response: { 200: previewAnswer },
      detail: {
        summary: "Test settings, mapping and script on a message",
        description: `Shows each stage. Nothing is stored, no device is created. 400 if the settings are wrong, 404 for an unknown integration or codec. ${allDevices}`,
      },
    })
    .get(
      "/:integrationId",
      ({ principal, params, request }) => wire(integrations.get(principal, params.integrationId), request),
      {
        auth: "integrations:read",
        response: { 200: integrationBody },
        detail: { summary: "Get an integration" },
      },
    )
    .patch(
      "/:integrationId",
      async ({ principal, params, body: { type, ...changes }, request }) => {
        if (type !== undefined && type !== integrations.get(principal, params.integrationId).type)
          throw typeFixed();
        await ensureTopicDevice(changes.settings_json);
        return wire(await integrations.update(principal, params.integrationId, changes), request);
      },
      {
        auth: "integrations:write",
        audit: { action: "integration.update", target: "integration", read },
        body: updateIntegrationBody,
        response: { 200: integrationBody },
        detail: { summary: "Change an integration", description: updateDescription },
      },
    )
    .delete(
      "/:integrationId",
      ({ principal, params }) => {
        integrations.delete(principal, params.integrationId);
        return { success: true };
      },
      {
        auth: "integrations:write",
        audit: { action: "integration.delete", target: "integration", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete an integration",
          description: `Deletes its events and stored messages too; its devices stay. If it was the default of its type, the oldest running integration of the type becomes the default. ${allDevices}`,
        },
      },
    )
    .post(
      "/:integrationId/set-default",
      ({ principal, params, request }) =>
        wire(integrations.setDefault(principal, params.integrationId), request),
      {
        auth: "integrations:write",
        audit: { action: "integration.set_default", target: "integration", read },
        response: { 200: integrationBody },
        detail: {
          summary: "Set the default integration of a type",
          description:
            "The default takes the messages to the address of the type that name no integration. 409 unless the integration is running.",
        },
      },
    )
    .post(
      "/:integrationId/start",
      ({ principal, params, request }) =>
        wire(integrations.setStatus(principal, params.integrationId, "active"), request),
      {
        auth: "integrations:write",
        audit: { action: "integration.start", target: "integration", read },
        response: { 200: integrationBody },
        detail: {
          summary: "Start an integration",
          description:
            "It accepts messages, once the tenant has a webhook secret, and connects to its broker. It becomes the default of its type if there is none. 409 if another running integration receives the same announcements for Home Assistant.",
        },
      },
    )
    .post(
      "/:integrationId/pause",
      ({ principal, params, request }) =>
        wire(integrations.setStatus(principal, params.integrationId, "paused"), request),
      {
        auth: "integrations:write",
        audit: { action: "integration.pause", target: "integration", read },
        response: { 200: integrationBody },
        detail: { summary: "Pause an integration", description: "Messages to it are refused." },
      },
    )
    .get(
      "/:integrationId/events",
      ({ principal, params, query, request, set }) => {
        const page = { ...query, ...toPage(query), isPayloadHidden: !seesPayloads(principal) };
        const { items, total } = integrationEvents.list(principal, params.integrationId, page);
        Object.assign(set.headers, listHeaders(request.url, { total, ...page }));
        return items.map((event) => listedToWire(event, !page.isPayloadHidden));
      },
      {
        auth: "integrations:read",
        query: eventsQuery,
        response: { 200: t.Array(eventBody) },
        detail: {
          summary: "List events of an integration, the newest first",
          description: `The newest 1,000 events and another 1,000 failed ones (16 MiB in all) are kept. The list contains and searches only the first 8 KiB of a payload; a single event contains all of it. ${payloads} ${allDevices}`,
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
        detail: { summary: "Delete the events of an integration", description: allDevices },
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
          summary: "Replay all failed messages",
          description: `Uses the present settings, the oldest first, 1,000 at most. ${allDevices}`,
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
        detail: { summary: "Get an event", description: `${payloads} ${allDevices}` },
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
          summary: "Replay the message of an event",
          description: `Uses the present settings and creates a new event. 409 if the message was not stored completely. ${allDevices}`,
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
