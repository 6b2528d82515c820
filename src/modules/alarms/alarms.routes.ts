import { Elysia, type Static, t } from "elysia";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { listHeaders, toPage, wholeList } from "../api/lists.ts";
import { asResponse, convertedSlices, listResponse } from "../api/responses.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Principal } from "../users/users.types.ts";
import {
  alarmBody,
  alarmEventBody,
  alarmsQuery,
  bulkBody,
  bulkCommentBody,
  commentBody,
  escalationBody,
  openAlarmsBody,
} from "./alarms.schemas.ts";
import type { AlarmsService } from "./alarms.service.ts";
import { alarmToWire, eventToWire, openAlarmsToWire, readFilter } from "./alarms.wire.ts";

const eventList = wholeList({ sort: ["createdAt", "eventType"], search: ["message"] });
const HANDLING = "For administrators, and users who may acknowledge alarms (`canAcknowledgeAlarms`).";
const AGAIN = "A repeated request gets the same response and changes nothing.";

type ListQuery = Static<ReturnType<typeof t.Object<typeof alarmsQuery>>>;

const settingsId = ({ principal }: AuditContext) => principal.tenantId;

const openAlarmsRoute = ({ alarms, auth }: { alarms: AlarmsService; auth: AuthPlugin }) =>
  new Elysia()
    .use(auth)
    .get("/open", ({ principal }) => ({ devices: openAlarmsToWire(alarms.listOpenByDevice(principal)) }), {
      auth: "alarms:read",
      response: { 200: t.Object({ devices: t.Array(openAlarmsBody) }) },
      detail: {
        operationId: "listOpenAlarmsByDevice",
        summary: "List devices with open alarms, worst first",
        description: "One entry for each device that the caller may see and that has an open alarm.",
      },
    });

interface AlarmsRoutesDeps {
  readonly alarms: AlarmsService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

/** Returns a handler that lists alarms, slice by slice. */
const alarmLister =
  ({ alarms, responses }: Pick<AlarmsRoutesDeps, "alarms" | "responses">) =>
  async (
    { principal, request }: { principal: Principal; request: Request },
    { limit, offset, severity, status, ...others }: ListQuery,
    deviceId?: string,
  ) => {
    const page = toPage({ limit, offset });
    const filter = { ...readFilter({ severity, status }), ...others, deviceId };
    const { total, count, slices } = await alarms.page(principal, { ...filter, ...page }, request.signal);
    const headers = listHeaders(request.url, { ...page, total });
    const wire = convertedSlices(slices, (alarm) => alarmToWire(alarm, principal));
    const response = await listResponse(responses, request, { count, slices: wire, headers });
    return asResponse<Array<Static<typeof alarmBody>>>(response);
  };

/** Creates the routes for alarms and their handling by users. */
export const alarmsRoutes = ({ alarms, responses, auth }: AlarmsRoutesDeps) => {
  const read = ({ principal }: AuditContext, id: string) => {
    const { name, deviceId, status } = alarmToWire(alarms.get(principal, id), principal);
    return { name, deviceId, status };
  };
  // The bodies are checked by the schemas of the routes.
  const commentOf = (context: AuditContext) => ({
    ...(context.body as Static<typeof commentBody>),
    ...read(context, context.params.alarmId ?? ""),
  });
  /** With the devices, because only those who see one of them see the entry. */
  const several = ({ principal, body }: AuditContext) => {
    const { alarmIds, ...request } = body as Static<typeof bulkBody>;
    return { ...request, alarmIds, deviceIds: alarms.deviceIdsOf(principal, alarmIds) };
  };
  const readSettings = ({ principal }: AuditContext) => alarms.escalation(principal);
  const list = alarmLister({ alarms, responses });
  return new Elysia({ prefix: "/api/alarms", tags: ["alarms"] })
    .use(auth)
    .use(openAlarmsRoute({ alarms, auth }))
    .get("", ({ principal, query, request }) => list({ principal, request }, query), {
      auth: "alarms:read",
      query: t.Object(alarmsQuery),
      response: { 200: t.Array(alarmBody) },
      detail: {
        operationId: "listAlarms",
        summary: "List alarms, most recently raised first",
        description:
          "Lists alarms of the devices that the caller may see. 1,000 cleared alarms are kept for each device.",
        errors: { 400: "A severity or status is unknown." },
      },
    })
    .get("/escalation-settings", ({ principal }) => alarms.escalation(principal), {
      auth: "alarms:escalation",
      response: { 200: escalationBody },
      detail: { operationId: "getEscalationSettings", summary: "Get the escalation settings" },
    })
    .patch("/escalation-settings", ({ principal, body }) => alarms.saveEscalation(principal, body), {
      auth: "alarms:escalation",
      audit: {
        action: "alarm.escalation",
        target: "alarm_settings",
        id: settingsId,
        read: readSettings,
      },
      body: escalationBody,
      response: { 200: escalationBody },
      detail: {
        operationId: "updateEscalationSettings",
        summary: "Change the escalation settings",
        description: "All four fields are required; minutes are whole numbers from 1 to 10,080.",
        errors: { 403: "Requires an owner or administrator with access to all devices." },
        example: {
          level1To2Minutes: 15,
          level2To3Minutes: 60,
          stopOnAck: true,
          stopOnClear: true,
        },
      },
    })
    .patch(
      "/ack/bulk",
      async ({ principal, body }) => {
        await alarms.acknowledge(principal, body.alarmIds);
        return { success: true };
      },
      {
        auth: "alarms:handle",
        audit: { action: "alarm.acknowledge_many", target: "alarm", id: settingsId, details: several },
        body: bulkBody,
        response: { 200: successBody },
        detail: {
          operationId: "acknowledgeAlarms",
          summary: "Acknowledge several alarms",
          description: `All alarms are changed, or none. ${AGAIN} ${HANDLING}`,
          errors: { 404: "One of the alarms does not exist." },
          example: { alarmIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c70"] },
        },
      },
    )
    .patch(
      "/clear/bulk",
      async ({ principal, body }) => {
        await alarms.clear(principal, body.alarmIds);
        return { success: true };
      },
      {
        auth: "alarms:handle",
        audit: { action: "alarm.clear_many", target: "alarm", id: settingsId, details: several },
        body: bulkBody,
        response: { 200: successBody },
        detail: {
          operationId: "clearAlarms",
          summary: "Clear several alarms",
          description: `All alarms are changed, or none. ${AGAIN} ${HANDLING}`,
          errors: { 404: "One of the alarms does not exist." },
          example: { alarmIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c70"] },
        },
      },
    )
    .post(
      "/comments/bulk",
      async ({ principal, body, set }) => {
        await alarms.comment(principal, body.alarmIds, body.message);
        set.status = 201;
        return { success: true };
      },
      {
        auth: "alarms:handle",
        audit: { action: "alarm.comment_many", target: "alarm", id: settingsId, details: several },
        body: bulkCommentBody,
        response: { 201: successBody },
        detail: {
          operationId: "createAlarmComments",
          summary: "Comment on several alarms",
          description: `All alarms get the comment, or none. ${HANDLING}`,
          errors: { 404: "One of the alarms does not exist." },
          example: {
            alarmIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c70"],
            message: "The line is being cleaned.",
          },
        },
      },
    )
    .get(
      "/device/:deviceId",
      ({ principal, params, query, request }) => list({ principal, request }, query, params.deviceId),
      {
        auth: "alarms:read",
        query: t.Object(alarmsQuery),
        response: { 200: t.Array(alarmBody) },
        detail: {
          operationId: "listAlarmsOfDevice",
          summary: "List alarms of a device, newest first",
          description:
            "The list of a gateway includes alarms of its children with `propagateToGateway`, for the children that the caller may see.",
        },
      },
    )
    .get(
      "/:alarmId",
      ({ principal, params }) => alarmToWire(alarms.get(principal, params.alarmId), principal),
      {
        auth: "alarms:read",
        response: { 200: alarmBody },
        detail: { operationId: "getAlarm", summary: "Get an alarm" },
      },
    )
    .get(
      "/:alarmId/events",
      ({ principal, params, query, request, set }) => {
        const events = alarms.listEvents(principal, params.alarmId).map(eventToWire);
        return eventList.page({ query, request, set }, events);
      },
      {
        auth: "alarms:read",
        query: t.Object(eventList.fields),
        response: { 200: t.Array(alarmEventBody) },
        detail: {
          operationId: "listAlarmEvents",
          summary: "List events of an alarm, the oldest first",
          description: "The newest 1,000 events are kept.",
        },
      },
    )
    .patch(
      "/:alarmId/ack",
      async ({ principal, params }) => {
        await alarms.acknowledge(principal, [params.alarmId]);
        return { success: true };
      },
      {
        auth: "alarms:handle",
        audit: { action: "alarm.acknowledge", target: "alarm", read },
        response: { 200: successBody },
        detail: {
          operationId: "acknowledgeAlarm",
          summary: "Acknowledge an alarm",
          description: `${AGAIN} ${HANDLING}`,
        },
      },
    )
    .patch(
      "/:alarmId/clear",
      async ({ principal, params }) => {
        await alarms.clear(principal, [params.alarmId]);
        return { success: true };
      },
      {
        auth: "alarms:handle",
        audit: { action: "alarm.clear", target: "alarm", read },
        response: { 200: successBody },
        detail: {
          operationId: "clearAlarm",
          summary: "Clear an alarm",
          description: `A later message that meets the rule raises it again; durations and counts begin anew. ${AGAIN} ${HANDLING}`,
        },
      },
    )
    .post(
      "/:alarmId/comments",
      async ({ principal, params, body, set }) => {
        await alarms.comment(principal, [params.alarmId], body.message);
        set.status = 201;
        return { success: true };
      },
      {
        auth: "alarms:handle",
        audit: { action: "alarm.comment", target: "alarm", details: commentOf },
        body: commentBody,
        response: { 201: successBody },
        detail: {
          operationId: "createAlarmComment",
          summary: "Comment on an alarm",
          description: HANDLING,
          example: { message: "The filter was changed." },
        },
      },
    );
};
