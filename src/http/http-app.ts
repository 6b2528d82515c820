import { type AnyElysia, Elysia, t } from "elysia";
import { detail, inEnglish, toText } from "../lib/core/domain-error.ts";
import type { Text } from "../lib/texts/text.ts";
import { webSocketPeerOf } from "../modules/api/request-peer.ts";
import { isLargeResponse, jsonResponse } from "../modules/api/responses.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import type { RequestAudit, RouteAudit } from "../modules/identity/request-audit.ts";
import { type RealtimeDeps, SUBSCRIPTIONS_MAX } from "../modules/realtime/realtime-session.ts";
import { SUBSCRIBED_KEYS_MAX } from "../modules/realtime/subscribed-keys.ts";
import type { DeviceSocketServer } from "../mqtt/device-sockets.types.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import type { Config } from "../platform/config/config.ts";
import type { Health } from "../platform/core/health.ts";
import type { Logger } from "../platform/core/log.ts";
import type { SlowOperations } from "../platform/core/slow-operations.ts";
import type { BodySpace } from "../platform/load/body-space.ts";
import type { ResponseSpace } from "../platform/load/response-space.ts";
import { basePathOf } from "../platform/network/public-address.ts";
import { peerOf } from "../platform/network/request-arrival.ts";
import { apiDocs } from "./api-docs.ts";
import type { ConnectionGuard } from "./connection-guard.ts";
import type { ConsoleFiles } from "./console.ts";
import { nothingHere, parameterOf, plainError, toErrorResponse, withAgreedBody } from "./errors.ts";
import { type FrontDoor, isForwarded } from "./front-door.ts";
import type { Route } from "./openapi/operations.ts";
import { RequestBodies } from "./request-bodies.ts";
import { RequestTurns } from "./request-turns.ts";
import { securityHeaders } from "./security-headers.ts";
import { deviceHandlers, mqttHandlers, realtimeHandlers, type SocketHandlers, upgrade } from "./sockets.ts";
import { statusNames } from "./status-names.ts";

/** Paths with limits of their own for bodies, as patterns without the slash at the beginning. Each one is the beginning of a route. */
export const BODY_PATHS = {
  /** Operations whose bodies are read before the sender is known. Codes, names and passwords are short. */
  forAnybody: ["api/auth", "api/setup", "api/shared", "api/v1/provision", "idp"],
  /** Operations with their own body limits: lists of devices, history, and data of devices and network servers. */
  large: [
    "write$",
    "api/v2/write$",
    "api/devices/bulk/import$",
    "api/devices/bulk/validate$",
    "api/devices/[^/]+/telemetry/import",
    "api/v1/(?!telemetry/|provision)[^/]+",
  ],
  /** Operations that read their bodies themselves, like the large ones. Some programs label any body as a form. */
  files: [
    "api/integrations/codecs/import",
    "api/integrations/codec-index",
    "api/setup/restore",
    "api/gateway/update",
  ],
} as const;

/** Returns the expression for the paths of one kind. */
export const bodyPattern = (paths: readonly string[]) => new RegExp(`^/+(?:${paths.join("|")})(?:/|$)`, "i");
const FOR_ANYBODY = bodyPattern(BODY_PATHS.forAnybody);
const LARGE = bodyPattern(BODY_PATHS.large);
const FILES = bodyPattern(BODY_PATHS.files);
/** Parts of an uploaded backup, for a gateway without an owner. */
const ARCHIVE_PART = /^\/+api\/setup\/restore\/archive$/i;
const ANYBODY_BYTES_MAX = 64 * 1024;
const BYTES_MAX = 1024 * 1024;

const SHORT_BYTES_MAX = 64 * 1024;
const BYTES_PER_SECOND_MIN = 1024;
/** Max. timeout that Bun supports, in s. */
const SECONDS_MAX = 255;

/**
 * Returns the seconds for the arrival of a body if the idle timeout is too short for it, because a large file may arrive over a slow connection;
 * undefined for short bodies.
 */
function bodySeconds({ headers }: Pick<Request, "headers">, idleSeconds: number): number | undefined {
  const length = Number(headers.get("content-length") ?? 0);
  if (!(length > SHORT_BYTES_MAX)) return undefined;
  return Math.min(SECONDS_MAX, idleSeconds + Math.ceil(length / BYTES_PER_SECOND_MIN));
}

const FORM = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i;

/**
 * Returns whether the body is too large to be read: megabytes of brackets would block everybody. A body without a length counts as too large. The
 * framework creates a value for each part of a form before anything can refuse it.
 */
function isTooLarge({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const length = Number(headers.get("content-length") ?? 0);
  const isUnknown = headers.has("transfer-encoding");
  if (length <= ANYBODY_BYTES_MAX && !isUnknown) return false;
  const { pathname } = new URL(url);
  if (FOR_ANYBODY.test(pathname) && !ARCHIVE_PART.test(pathname))
    return isUnknown || length > ANYBODY_BYTES_MAX;
  if (LARGE.test(pathname)) return false;
  const isForm = FORM.test(headers.get("content-type") ?? "") && !FILES.test(pathname);
  return isUnknown || length > (isForm ? ANYBODY_BYTES_MAX : BYTES_MAX);
}

/** Validity in ms. RFC 9116 requires less than a year, so that the information is never stale. */
const VALID_MS = 180 * 86_400_000;
const HEADERS = {
  ...securityHeaders,
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-cache",
};

/** Serves `/.well-known/security.txt` with the contact for vulnerabilities that the operator has set. */
const securityTxt = (config: Pick<Config, "security_contact">) =>
  new Elysia({ name: "security-txt" }).get(
    "/.well-known/security.txt",
    () => {
      const { security_contact: contact } = config;
      if (contact === undefined) throw nothingHere();
      const expires = new Date(Math.floor((Date.now() + VALID_MS) / 86_400_000) * 86_400_000).toISOString();
      const lines = [
        `Contact: ${/^(?:https|mailto):/.test(contact) ? contact : `mailto:${contact}`}`,
        `Expires: ${expires}`,
        "Preferred-Languages: en, de",
      ];
      return new Response(`${lines.join("\n")}\n`, { headers: HEADERS });
    },
    { detail: { hide: true } },
  );

export interface HttpDeps {
  readonly version: string;
  readonly commit: string;
  readonly config: Pick<Config, "api_docs" | "http_idle_timeout_s" | "public_url" | "security_contact">;
  readonly log: Logger;
  /** Routes of the modules. */
  readonly routes: readonly AnyElysia[];
  readonly auth: AuthPlugin;
  readonly requestAudit: RequestAudit;
  readonly tokens: TokenSignIn;
  readonly realtime: RealtimeDeps;
  readonly mqtt: MqttServer;
  readonly sockets: DeviceSocketServer;
  readonly responses: ResponseSpace;
  readonly bodySpace: BodySpace;
  readonly connections: Pick<ConnectionGuard, "requested" | "handOver">;
  readonly console: ConsoleFiles;
  readonly frontDoor: FrontDoor;
  readonly isReady: () => boolean;
  readonly health: Health;
  readonly slow: SlowOperations;
  /** Resolves once all writes so far are on disk. */
  readonly durable: () => Promise<void>;
}

const reason = t.Object({ code: t.String(), params: t.Record(t.String(), t.Unknown()), message: t.String() });
const toReason = (text: Text) => ({ ...toText(text), message: inEnglish(text) });

const healthRoutes = (deps: Pick<HttpDeps, "isReady" | "version" | "commit" | "health">) =>
  new Elysia({ tags: ["system"] })
    .get("/healthz", () => ({ status: "ok", version: deps.version, commit: deps.commit }), {
      response: { 200: t.Object({ status: t.String(), version: t.String(), commit: t.String() }) },
      detail: { operationId: "getHealth", summary: "Check whether the process runs" },
    })
    .get(
      "/readyz",
      ({ set }) => {
        const blocking = deps.health.blocking();
        const reasons = deps.isReady() ? blocking : [detail("system.not_ready"), ...blocking];
        const [first] = reasons;
        if (first === undefined) return { status: "ready", warnings: deps.health.problems().map(toReason) };
        set.status = 503;
        set.headers["retry-after"] = "1";
        const message = inEnglish(first);
        return {
          statusCode: 503,
          error: statusNames[503] ?? "",
          message,
          ...toText(first),
          reasons: reasons.map(toReason),
        };
      },
      {
        response: {
          200: t.Object({ status: t.String(), warnings: t.Array(reason) }),
          503: t.Object({
            statusCode: t.Number(),
            error: t.String(),
            message: t.String(),
            code: t.String(),
            params: t.Record(t.String(), t.Unknown()),
            reasons: t.Array(reason),
          }),
        },
        detail: {
          operationId: "getReadiness",
          summary: "Check whether requests and devices are served",
          description: "`warnings` do not keep the gateway from its work.",
          errors: {
            503: "The gateway is starting or stopping, or cannot store data because the disk is full or read-only or storage has failed. The body has the reasons.",
          },
        },
      },
    );

/** Creates the WebSocket endpoints: `/api/ws` for the console, `/mqtt` for devices. */
const socketRoutes = (deps: HttpDeps) => {
  const open = (
    context: { server: unknown; request: Request },
    options: { handlers: SocketHandlers; protocol?: string; isLimitedElsewhere?: boolean },
  ) => {
    const server = context.server as Parameters<typeof upgrade>[0]; // Elysia types it without our socket data
    const peer = peerOf(context.request, server);
    if (!upgrade(server, context.request, options))
      return plainError(426, "request.websocket_required", { upgrade: "websocket" });
    if (options.isLimitedElsewhere) deps.connections.handOver(peer);
    return undefined;
  };
  return new Elysia({ tags: ["realtime"] })
    .get(
      "/api/ws",
      (context) =>
        open(context, {
          handlers: realtimeHandlers(deps.realtime, webSocketPeerOf(context.request, context.server)),
        }),
      {
        detail: {
          operationId: "connectRealtime",
          summary: "Subscribe to realtime data over WebSocket",
          responses: { 101: { description: "The connection is a WebSocket now." } },
          description: `First message \`{type:"auth", token}\` → \`{type:"ready"}\`, within 5 s and 8 KB. Then \`{type:"subscribe", id, topics:[telemetry|attributes|alarms|devices|commands|events], deviceIds?, keys?}\` → \`{type:"snapshot", id, telemetry, devices}\` and \`{type:"data", id, topic, deviceId, …}\`. A snapshot of many devices consists of several messages, all but the last with \`more: true\`. A slow reader gets the newest value of each key (\`merged: true\`). A connection has at most ${SUBSCRIPTIONS_MAX} subscriptions, which name at most ${SUBSCRIBED_KEYS_MAX} keys in total; equal lists count once. A refused subscription is answered by \`{type:"error", id, code, message}\`.`,
          errors: { 426: "The request is not a WebSocket handshake." },
        },
      },
    )
    .get(
      "/api/v1/:deviceToken/ws",
      (context) => {
        const { params, request, server } = context;
        const device = deps.tokens.ensure({ params, request, server }, "device_websocket");
        return open(context, { handlers: deviceHandlers(deps.sockets, device), isLimitedElsewhere: true });
      },
      {
        detail: {
          operationId: "connectDevice",
          tags: ["device API"],
          summary: "Connect a device over WebSocket",
          responses: { 101: { description: "The connection is a WebSocket now." } },
          description:
            "The topics and bodies of MQTT, one object per frame: `{topic, …body}`, or `{topic, body}` if the body is not an object. Text frames are JSON, binary frames CBOR. If `ack` (a number or string) is set, the response is `{ack}` once the message is on disk, or `{ack, topic, error: {code, message}}` if it was refused. Commands, changes of shared attributes and responses are sent without subscribing. Each device has one connection; a new connection replaces it.",
          errors: { 401: "The token is invalid.", 426: "The request is not a WebSocket handshake." },
        },
      },
    )
    .get(
      "/mqtt",
      (context) => {
        const offered = context.request.headers.get("sec-websocket-protocol") ?? "";
        const protocol = offered
          .split(",")
          .map((name) => name.trim())
          .find((name) => name === "mqtt" || name === "mqttv3.1");
        const peer = webSocketPeerOf(context.request, context.server);
        const handlers = mqttHandlers(deps.mqtt, peer);
        return open(context, { handlers, isLimitedElsewhere: true, ...(protocol && { protocol }) });
      },
      {
        detail: {
          operationId: "connectMqtt",
          summary: "Connect with MQTT over WebSocket",
          responses: { 101: { description: "The connection is a WebSocket now." } },
          description: "Subprotocol `mqtt`; the same protocol as on the MQTT port.",
          errors: { 426: "The request is not a WebSocket handshake." },
        },
      },
    );
};

/** Headers of API responses, which are not pages: a browser that displays a response must not load anything for it. */
const ownHeaders = {
  ...securityHeaders,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};
/**
 * Headers of all JSON responses: copying them is faster than creating them from an object. Elysia accepts them, although its types do not say so.
 * Frozen, so that changes for one response cannot affect others.
 */
const jsonHeaders = Object.freeze(new Headers(ownHeaders)) as unknown as Record<string, string>;

const isJson = (value: unknown): boolean =>
  Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;

function isEmpty(headers: object): boolean {
  for (const _ in headers) return false;
  return true;
}

/** Adds headers to a Response: Elysia would create another one, which is sent as a chunked stream although all bytes exist. */
function addOwnHeaders(headers: Headers): void {
  for (const name in ownHeaders) {
    if (!headers.has(name)) headers.set(name, ownHeaders[name as keyof typeof ownHeaders]); // `name` is one of its own
  }
}

/** Returns whether a request is a message of a device: most requests of a gateway, each answered quickly. */
const isTelemetry = ({ method, url }: Request): boolean =>
  method === "POST" && /^https?:\/\/[^/]+\/api\/v1\/[^/]+\/telemetry/.test(url);

const isWebhook = ({ url }: Request): boolean => /^https?:\/\/[^/]+\/api\/v1\/integrations\//.test(url);

/** Records a request. Returns the response to a refused one. */
function admit(
  { connections, slow, config }: Pick<HttpDeps, "connections" | "slow" | "config">,
  request: Request,
  server: PlainServer | null,
): Response | undefined {
  const isTelemetryRequest = isTelemetry(request);
  const isPlain = request.url.startsWith("http:") && !isForwarded(request);
  if (!isPlain || !(isTelemetryRequest || isWebhook(request))) connections.requested(peerOf(request, server));
  if (!isPlain || !isTelemetryRequest) slow.began(request);
  // With an invalid Host header, parsing the URL would fail later.
  if (!URL.canParse(request.url)) return plainError(400, "request.address_invalid");
  // Several Host headers arrive as a list (RFC 9112, section 3.2: 400). A proxy and the gateway could pick different entries.
  if (request.headers.get("host")?.includes(",")) return plainError(400, "request.address_invalid");
  if (isTooLarge(request)) return plainError(413, "request.too_large");
  const seconds = bodySeconds(request, config.http_idle_timeout_s);
  if (seconds !== undefined) server?.timeout(request, seconds);
  return undefined;
}

function answerError(
  error: unknown,
  { code, request, log }: { code: string | number; request: Request; log: Logger },
): Response {
  const parameter = parameterOf(error, request.url);
  return withAgreedBody(toErrorResponse(error, { code, parameter, log }), request);
}

/** Waits until all writes of a request are on disk. Resolves to the error response if that fails. */
async function untilDurable(
  { durable, log }: Pick<HttpDeps, "durable" | "log">,
  request: Request,
): Promise<Response | undefined> {
  const { method } = request;
  // Messages wait for their own commits.
  const isWaited = method === "GET" || method === "HEAD" || isTelemetry(request) || isWebhook(request);
  if (isWaited) return undefined;
  try {
    await durable();
    return undefined;
  } catch (error) {
    // Rethrown in the error handler, it would end the process.
    return withAgreedBody(toErrorResponse(error, { log }), request);
  }
}

/** Resolves to the response with a large value, which is sent in chunks and counts as bytes in flight. */
async function inPieces(
  { responses, log }: Pick<HttpDeps, "responses" | "log">,
  { request, value, set }: { request: Request; value: unknown; set: { headers: object; status?: unknown } },
): Promise<Response | undefined> {
  if (!isJson(value) || !isLargeResponse(value)) return undefined;
  try {
    return await jsonResponse(responses, request, value);
  } catch (error) {
    set.status = undefined; // the status of the error applies
    return withAgreedBody(toErrorResponse(error, { log }), request);
  }
}

type PlainServer = NonNullable<Elysia["server"]>;

/** App without the types of its routes, which are not needed and too many for the compiler. */
export type HttpApp = Elysia;

/** Creates the HTTP side as one Elysia app, which does not listen by itself. */
export function createHttpApp(deps: HttpDeps): HttpApp {
  const notForConsole = /^\/(api|idp|docs|write|ping|\.well-known)(\/|$)/;
  /** Audit rules of routes, by method and pattern. */
  const audited = new Map<string, RouteAudit>();
  const bodies = new RequestBodies();
  const routes: Route[] = [];
  const app = new Elysia({ name: "lineside", normalize: true })
    .onError(({ error, code, route, ...context }) => {
      deps.bodySpace.release(context.request);
      deps.requestAudit.refused(audited.get(`${context.request.method} ${route}`), context, error);
      // No variable here: in minified code, Elysia takes a declaration for an expression.
      return answerError(error, { code, request: context.request, log: deps.log });
    })
    // Elysia treats a hook that returns the result of a call as asynchronous, and awaits it.
    .onRequest(({ request, server }) => {
      const refusal = admit(deps, request, server);
      if (refusal !== undefined) return refusal;
      return undefined;
    })
    // Elysia parses this function's source to find which parts of the context it needs, so each is named.
    .onTransform((context) => {
      const { request, route, body } = context;
      context.body = bodies.prepare(request, route, body);
    })
    .onAfterHandle(({ set, responseValue }) => {
      if (responseValue instanceof Response && isEmpty(set.headers)) addOwnHeaders(responseValue.headers);
      else if (isJson(responseValue) && isEmpty(set.headers)) set.headers = jsonHeaders;
      else Object.assign(set.headers, ownHeaders);
    })
    // After everything that a request writes, including its audit entry.
    .mapResponse(async ({ request, route, responseValue, set }) => {
      const failure = await untilDurable(deps, request);
      deps.bodySpace.release(request);
      deps.slow.ended(request, () => `${request.method} ${route}`);
      return failure ?? (await inPieces(deps, { request, value: responseValue, set }));
    })
    .use(
      apiDocs(deps.version, () => routes, {
        auth: deps.auth,
        responses: deps.responses,
        needsSignIn: deps.config.api_docs === "signed-in",
        basePath: basePathOf(deps.config),
      }),
    )
    .use(securityTxt(deps.config))
    .use(healthRoutes(deps))
    .use(socketRoutes(deps))
    .use([...deps.routes])
    .get(
      "/*",
      ({ request }) => {
        if (notForConsole.test(new URL(request.url).pathname)) throw nothingHere();
        return deps.console.respond(request);
      },
      { detail: { hide: true } },
    );
  deps.frontDoor.guard(app);
  new RequestTurns().guard(app);
  bodies.add(app.routes);
  routes.push(...(app.routes as readonly Route[]));
  for (const { method, path, hooks } of app.routes) {
    const audit: RouteAudit | { none: string } | undefined = hooks.detail?.["x-audit"];
    if (audit !== undefined && "action" in audit) audited.set(`${method} ${path}`, audit);
  }
  return app as unknown as HttpApp;
}
