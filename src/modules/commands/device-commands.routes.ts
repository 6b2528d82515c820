import { Elysia, t } from "elysia";
import { invalid, notFound, timedOut } from "../../lib/core/domain-error.ts";
import { readBytes } from "../../lib/network/request-bytes.ts";
import { jsonValue, successBody, wholeNumber } from "../api/wire.schemas.ts";
import type { TokenSignIn } from "../devices/token-sign-in.service.ts";
import type { CommandEngine } from "./command-engine.ts";
import { readResponse } from "./command-response.ts";
import type { OwnRequests } from "./own-requests.ts";

const TIMEOUT_MS_DEFAULT = 20_000;
/** Max. wait; idle connections are closed after a minute. */
const TIMEOUT_MS_MAX = 50_000;
const RESPONSE_BYTES_MAX = 64 * 1024;

/** Creates the routes for devices that poll over HTTP: a long poll for commands, and the response. */
export const deviceCommandsRoutes = (deps: {
  engine: CommandEngine;
  tokens: Pick<TokenSignIn, "ensure">;
}) => {
  const ensureDevice = deps.tokens.ensure;
  return new Elysia({ prefix: "/api/v1/:deviceToken", tags: ["device API"] })
    .get(
      "/rpc",
      async ({ params, query, request, server }) => {
        const { deviceId } = ensureDevice({ params, request, server });
        const ms = Math.min(query.timeout ?? TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX);
        const command = await deps.engine.next(deviceId, ms, request.signal);
        if (command === undefined) throw timedOut("command.none");
        return { id: command.rpcId, method: command.method, params: command.params };
      },
      {
        query: t.Object({
          timeout: t.Optional(
            t.Integer({ minimum: 0, description: "ms; 20,000 by default, 50,000 at most" }),
          ),
        }),
        response: {
          200: t.Object({ id: wholeNumber(), method: t.String(), params: jsonValue() }),
        },
        detail: {
          operationId: "awaitDeviceCommand",
          summary: "Poll for the next command",
          description: "Waits for a command.",
          errors: { 401: "The token is invalid.", 408: "No command arrived in time." },
        },
      },
    )
    .post(
      "/rpc/:rpcId",
      async ({ params, request, server }) => {
        const device = ensureDevice({ params, request, server });
        if (!/^\d{1,15}$/.test(params.rpcId)) throw invalid("command.id_invalid");
        const refusal = () => invalid("command.response_too_large", { max: RESPONSE_BYTES_MAX });
        const bytes = await readBytes(request, RESPONSE_BYTES_MAX, refusal);
        const isCbor = request.headers.get("content-type")?.startsWith("application/cbor") === true;
        const response = readResponse(bytes, isCbor ? "CBOR" : "JSON");
        if (!deps.engine.answered(device.deviceId, Number(params.rpcId), response))
          throw notFound("command.not_sent");
        await deps.engine.committed();
        return { success: true };
      },
      {
        parse: "none",
        response: { 200: successBody },
        detail: {
          operationId: "answerDeviceCommand",
          summary: "Send the response to a command",
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: {}, example: { success: true, state: "on" } },
              "application/cbor": { schema: { type: "string" as const, format: "binary" } },
            },
          },
          description:
            "Any JSON, CBOR or text, with or without NULs at the end; an empty body is null. An object with `error`, or with `success: false`, makes the command FAILED, and so does a body that cannot be read.",
          errors: { 401: "The token is invalid.", 404: "The device was not sent this command." },
        },
      },
    );
};

/** Creates the routes for requests of devices to the gateway over HTTP. */
export const deviceRequestsRoutes = (deps: {
  tokens: Pick<TokenSignIn, "ensure">;
  ownRequests: OwnRequests;
}) =>
  new Elysia({ prefix: "/api/v1/:deviceToken", tags: ["device API"] }).post(
    "/rpc",
    // As JSON, even if the response is a string or null.
    async ({ params, request, server, body }) =>
      Response.json(await deps.ownRequests(deps.tokens.ensure({ params, request, server }), body)),
    {
      body: t.Object(
        { method: t.String({ maxLength: 256 }), params: t.Optional(jsonValue()) },
        { title: "DeviceRequest" },
      ),
      response: { 200: jsonValue() },
      detail: {
        operationId: "askGateway",
        summary: "Ask the gateway",
        description:
          "Answers a request of the device as over MQTT: `getServerTime` and `getCurrentTime` (`{time}` in epoch ms), `getSessionLimits`, and the methods that its profile answers (`deviceRequests`). For any other method the response is an object with `error`.",
        errors: { 401: "The token is invalid." },
        example: { method: "getCurrentTime", params: {} },
      },
    },
  );
