import { Elysia, t } from "elysia";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { newestFirst, pageQuery, searchQuery, timeRangeQuery } from "../api/lists.schemas.ts";
import { sendPage, toPage } from "../api/lists.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import {
  commandDetail,
  commandResult,
  commandState,
  createCommandBody,
  testAckBody,
  toDetail,
  toResult,
} from "./commands.schemas.ts";
import type { CommandsService } from "./commands.service.ts";

/** Max. wait; idle connections are closed after a minute. */
const WAIT_MS_MAX = 50_000;

const asked = ({ body }: AuditContext) => body;

const listQuery = t.Object({
  status: t.Optional(commandState),
  ...pageQuery,
  ...timeRangeQuery({
    from: "only commands created then or later",
    to: "only commands created until then",
  }),
  search: searchQuery(["the method"]),
  sort: newestFirst,
});

const createQuery = t.Object({
  wait: t.Optional(
    t.Integer({
      minimum: 0,
      maximum: WAIT_MS_MAX,
      description: "maximum time to wait for the command to finish, in ms",
    }),
  ),
});

/** Creates the command routes for users and programs; devices have their own. */
export const commandsRoutes = (deps: {
  commands: CommandsService;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { commands } = deps;
  return new Elysia({ prefix: "/api/devices/:deviceId", tags: ["commands"] })
    .use(deps.auth)
    .post(
      "/commands",
      async ({ principal, params, body, query, set }) => {
        set.status = 201;
        return toResult(await commands.create(principal, params.deviceId, body, query.wait ?? 0));
      },
      {
        auth: "commands:write",
        exactJson: true,
        audit: {
          action: "command.create",
          target: "device",
          details: asked,
        },
        body: createCommandBody,
        query: createQuery,
        response: { 201: commandResult },
        detail: {
          operationId: "createDeviceCommand",
          summary: "Send a command",
          description:
            "`command` as it is, `method` with `params`, `key` with `value` (method setValue), `channel` with `state` (method setState), or `type`. A command waits for a device that is offline, survives a restart, and is sent again up to `retries` times until the device acknowledges it.",
          errors: {
            400: "The body has none of these fields, or more than 64 KiB of parameters.",
            409: "The device has had a command with this `requestId`.",
            429: "1,000 commands wait for the device, or its open commands take up 4 MiB.",
          },
          example: { method: "setValue", params: { key: "setpoint", value: 21 }, retries: 2 },
        },
      },
    )
    .get(
      "/commands",
      ({ principal, params, query, request }) => {
        const page = toPage(query);
        const found = commands.list(principal, params.deviceId, {
          ...page,
          status: query.status,
          search: query.search,
          from: query.from,
          to: query.to,
        });
        return sendPage({ request, responses: deps.responses }, page, mapRows(found, toDetail));
      },
      {
        auth: "commands:read",
        query: listQuery,
        response: { 200: t.Array(commandDetail) },
        detail: {
          operationId: "listDeviceCommands",
          summary: "List commands of a device, the newest first",
          description: "Finished commands are kept for 90 days. `Link` leads to the next page.",
        },
      },
    )
    .get(
      "/commands/:commandId",
      ({ principal, params }) => toDetail(commands.get(principal, params.deviceId, params.commandId)),
      {
        auth: "commands:read",
        response: { 200: commandDetail },
        detail: { operationId: "getDeviceCommand", summary: "Get a command" },
      },
    )
    .post(
      "/test-ack",
      async ({ principal, params, body, set }) => {
        set.status = 201;
        return toResult(await commands.testResponse(principal, params.deviceId, body));
      },
      {
        auth: "commands:write",
        exactJson: true,
        audit: { action: "command.test-ack", target: "device", details: asked },
        body: testAckBody,
        response: { 201: commandResult },
        detail: {
          operationId: "acknowledgeTestCommand",
          summary: "Simulate the device's response to a command",
          description:
            "Responds to the command of `requestId`, or to the newest unfinished one. `success: false` makes it FAILED.",
          errors: { 404: "There is no such command." },
          example: { success: true, message: "done" },
        },
      },
    );
};
