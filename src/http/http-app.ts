import { Elysia, t } from "elysia";
import { DomainError, detail } from "../lib/domain-error.ts";
import type { DeviceId } from "../lib/ids.ts";
import { attributesRoutes } from "../modules/attributes/attributes.routes.ts";
import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { CommandEngine } from "../modules/commands/command-engine.ts";
import { commandsRoutes } from "../modules/commands/commands.routes.ts";
import type { CommandsService } from "../modules/commands/commands.service.ts";
import { deviceCommandsRoutes } from "../modules/commands/device-commands.routes.ts";
import { connectivityRoutes } from "../modules/connectivity/connectivity.routes.ts";
import type { Endpoints } from "../modules/connectivity/connectivity.service.ts";
import { webhookSecretsRoutes } from "../modules/connectivity/webhook-secrets.routes.ts";
import type { WebhookSecretsService } from "../modules/connectivity/webhook-secrets.service.ts";
import { bulkRoutes } from "../modules/devices/bulk/bulk.routes.ts";
import type { BulkService } from "../modules/devices/bulk/bulk.service.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DeviceRejections } from "../modules/devices/device-rejections.ts";
import { devicesRoutes } from "../modules/devices/devices.routes.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { RouteAudit } from "../modules/identity/request-audit.ts";
import { historyRoutes } from "../modules/ingest/history.routes.ts";
import type { HistoryService } from "../modules/ingest/history.service.ts";
import { deviceApiRoutes } from "../modules/ingest/ingest.routes.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import { testTelemetryRoutes } from "../modules/ingest/test-telemetry.routes.ts";
import { profilesRoutes } from "../modules/profiles/profiles.routes.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import type { RealtimeDeps } from "../modules/realtime/realtime-session.ts";
import { telemetryRoutes } from "../modules/telemetry/telemetry.routes.ts";
import type { TelemetryService } from "../modules/telemetry/telemetry.service.ts";
import type { DeviceSocketServer } from "../mqtt/device-sockets.types.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import type { Config } from "../platform/config.ts";
import type { Logger } from "../platform/log.ts";
import { apiDocs } from "./api-docs.ts";
import {
  type AutomationDeps,
  automationRoutes,
  type IntegrationsDeps,
  integratedRoutes,
} from "./automation.ts";
import { bodySeconds, isTooLarge } from "./body-size.ts";
import type { ConnectionGuard } from "./connection-guard.ts";
import type { ConsoleFiles } from "./console.ts";
import { nothingHere, plainError, toErrorResponse, withAgreedBody } from "./errors.ts";
import type { Route } from "./openapi/operations.ts";
import { type PeopleDeps, peopleRoutes } from "./people.ts";
import { RequestBodies } from "./request-bodies.ts";
import { securityHeaders } from "./security-headers.ts";
import { securityTxt } from "./security-txt.ts";
import { type SignInDeps, signInRoutes } from "./sign-in.ts";
import { deviceHandlers, mqttHandlers, realtimeHandlers, type SocketHandlers, upgrade } from "./sockets.ts";

export interface HttpDeps {
  readonly version: string;
  readonly config: Pick<Config, "api_docs" | "http_idle_timeout_s" | "security_contact">;
  readonly log: Logger;
  readonly people: PeopleDeps;
  readonly devices: DevicesService;
  readonly directory: DeviceDirectory;
  readonly signIn: SignInDeps;
  readonly activity: DeviceActivityTracker;
  readonly rejections: DeviceRejections;
  readonly profiles: ProfilesService;
  readonly attributes: AttributesService;
  readonly bulk: BulkService;
  readonly commands: CommandsService;
  readonly commandEngine: CommandEngine;
  readonly webhookSecrets: WebhookSecretsService;
  readonly webhooksOf: Parameters<typeof webhookSecretsRoutes>[0]["webhooksOf"];
  readonly automation: AutomationDeps;
  readonly integrated: Omit<IntegrationsDeps, "endpointsFor">;
  readonly telemetry: TelemetryService;
  readonly history: HistoryService;
  readonly ingest: IngestService;
  readonly realtime: RealtimeDeps;
  readonly mqtt: MqttServer;
  readonly sockets: DeviceSocketServer;
  readonly connections: Pick<ConnectionGuard, "requested" | "handOver">;
  readonly console: ConsoleFiles;
  readonly endpointsFor: (requestUrl: string) => Endpoints;
  /** What clients must trust to connect with TLS, as PEM. */
  readonly authority: () => string | undefined;
  readonly isReady: () => boolean;
  /** Resolves once everything written so far is on the disk. */
  readonly durable: () => Promise<void>;
}

const healthRoutes = (deps: Pick<HttpDeps, "isReady" | "version">) =>
  new Elysia({ tags: ["system"] })
    .get("/healthz", () => ({ status: "ok", version: deps.version }), {
      response: { 200: t.Object({ status: t.String(), version: t.String() }) },
      detail: { summary: "Whether the process runs" },
    })
    .get(
      "/readyz",
      () => {
        if (!deps.isReady())
          throw new DomainError("unavailable", detail("system.not_ready"), { retryAfterSeconds: 1 });
        return { status: "ready" };
      },
      {
        response: { 200: t.Object({ status: t.String() }) },
        detail: {
          summary: "Whether requests and devices are served",
          description: "503 while starting and stopping.",
        },
      },
    );

/** WebSocket ways in: `/api/ws` for people's screens, `/mqtt` for devices. */
const socketRoutes = (deps: HttpDeps) => {
  const open = (
    context: { server: unknown; request: Request },
    options: { handlers: SocketHandlers; protocol?: string; isLimitedElsewhere?: boolean },
  ) => {
    const server = context.server as Parameters<typeof upgrade>[0]; // Elysia types it without our socket data
    const peer = server?.requestIP(context.request);
    if (!upgrade(server, context.request, options))
      return plainError(426, "request.websocket_required", { upgrade: "websocket" });
    if (options.isLimitedElsewhere) deps.connections.handOver(peer);
    return undefined;
  };
  return new Elysia({ tags: ["realtime"] })
    .get("/api/ws", (context) => open(context, { handlers: realtimeHandlers(deps.realtime) }), {
      detail: {
        summary: "Realtime: WebSocket",
        responses: { 101: { description: "The connection is a WebSocket now." } },
        description:
          '426 without a WebSocket handshake. First message `{type:"auth", token}` → `{type:"ready"}`, within 5 s and 8 KB. Then `{type:"subscribe", id, topics:[telemetry|attributes|alarms|devices|commands|events], deviceIds?, keys?}` → `{type:"snapshot", id, telemetry, devices}` and `{type:"data", id, topic, deviceId, …}`. A slow reader gets the newest value of each key (`merged: true`).',
      },
    })
    .get(
      "/api/v1/:deviceToken/ws",
      (context) => {
        const { params, request, server } = context;
        const device = deps.signIn.tokens.ensure({ params, request, server });
        return open(context, { handlers: deviceHandlers(deps.sockets, device), isLimitedElsewhere: true });
      },
      {
        detail: {
          tags: ["device API"],
          summary: "A device's own WebSocket",
          responses: { 101: { description: "The connection is a WebSocket now." } },
          description:
            "The topics and bodies of MQTT, one object a frame: `{topic, …body}`, or `{topic, body}` where the body is an array or no object; text frames are JSON, binary ones CBOR. With `ack`, a number or a text, the message is answered by `{ack}` once it is on the disk; what is refused by `{ack, topic, error: {code, message}}`. Commands, changes of shared attributes and responses come without subscribing. One connection a device: a new one takes the place of the one before. 400 for an invalid token, 426 without a WebSocket handshake.",
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
        const address = context.server?.requestIP(context.request)?.address ?? "unknown";
        const handlers = mqttHandlers(deps.mqtt, address);
        return open(context, { handlers, isLimitedElsewhere: true, ...(protocol && { protocol }) });
      },
      {
        detail: {
          summary: "MQTT over WebSocket",
          responses: { 101: { description: "The connection is a WebSocket now." } },
          description:
            "Subprotocol `mqtt`; the same protocol as on the MQTT port. 426 without a WebSocket handshake.",
        },
      },
    );
};

/** Messages of devices without TLS: most requests of a gateway, each answered soon. */
const isPlainTelemetry = ({ method, url }: Request): boolean =>
  method === "POST" && /^http:\/\/[^/]+\/api\/v1\/[^/]+\/telemetry/.test(url);

/** Nobody asks for the types of its routes, and with so many of them the compiler gives up. */
export type HttpApp = Elysia;

/** The whole HTTP side as one Elysia app; it listens nowhere by itself. */
export function createHttpApp(deps: HttpDeps): HttpApp {
  const { auth } = deps.people;
  /** Webhooks answer when their event is on the disk, and with it whatever was written before: once is enough. */
  const waitsItself = (url: string) => /^https?:\/\/[^/]+\/api\/v1\/integrations\//.test(url);
  const notForConsole = /^\/(api|idp|docs|\.well-known)(\/|$)/;
  /** What the audit log keeps of routes, by method and pattern. */
  const audited = new Map<string, RouteAudit>();
  const bodies = new RequestBodies();
  const routes: Route[] = [];
  const app = new Elysia({ name: "lineside", normalize: true })
    .onError(({ error, code, route, ...given }) => {
      deps.people.requestAudit.refused(audited.get(`${given.request.method} ${route}`), given, error);
      return withAgreedBody(toErrorResponse(error, code, deps.log), given.request);
    })
    .onRequest(({ request, server }) => {
      if (!isPlainTelemetry(request)) deps.connections.requested(server?.requestIP(request));
      // A Host header that is none: whatever asks for a part of the address would fail.
      if (!URL.canParse(request.url)) return plainError(400, "request.address_invalid");
      if (isTooLarge(request)) return plainError(413, "request.too_large");
      const seconds = bodySeconds(request, deps.config.http_idle_timeout_s);
      if (seconds !== undefined) server?.timeout(request, seconds);
      return undefined;
    })
    // Elysia reads from this function's text which parts of the context it needs: each is named.
    .onTransform((context) => {
      const { request, route, body } = context;
      context.body = bodies.prepare(request, route, body);
    })
    .onAfterHandle(({ set }) => {
      Object.assign(set.headers, securityHeaders, { "cache-control": "no-store" });
    })
    // After all that a request writes, its audit entry included.
    .mapResponse(async ({ request: { method, url } }) => {
      if (method !== "GET" && method !== "HEAD" && !waitsItself(url)) await deps.durable();
    })
    .use(apiDocs(deps.version, () => routes, { auth, needsSignIn: deps.config.api_docs === "signed-in" }))
    .use(securityTxt(deps.config))
    .use(healthRoutes(deps))
    .use(
      peopleRoutes({
        ...deps.people,
        isDevice: (id) => deps.directory.find(id as DeviceId) !== undefined,
      }),
    )
    .use(bulkRoutes({ bulk: deps.bulk, auth }))
    .use(historyRoutes({ history: deps.history, auth }))
    .use(testTelemetryRoutes({ ...deps, auth }))
    .use(telemetryRoutes({ telemetry: deps.telemetry, auth }))
    .use(attributesRoutes({ attributes: deps.attributes, auth }))
    .use(commandsRoutes({ commands: deps.commands, auth }))
    .use(automationRoutes({ ...deps.automation, auth }))
    .use(integratedRoutes({ ...deps.integrated, endpointsFor: deps.endpointsFor, auth }))
    .use(deviceCommandsRoutes({ engine: deps.commandEngine, tokens: deps.signIn.tokens }))
    .use(
      devicesRoutes({
        devices: deps.devices,
        rejections: deps.rejections,
        activityOf: (deviceId) => deps.activity.get(deviceId),
        maintenanceOf: deps.automation.maintenance.of,
        auth,
      }),
    )
    .use(signInRoutes({ ...deps.signIn, devices: deps.devices, auth }))
    .use(profilesRoutes({ profiles: deps.profiles, auth }))
    .use(webhookSecretsRoutes({ secrets: deps.webhookSecrets, webhooksOf: deps.webhooksOf, auth }))
    .use(connectivityRoutes({ endpointsFor: deps.endpointsFor, authority: deps.authority }))
    .use(deviceApiRoutes({ ingest: deps.ingest, attributes: deps.attributes, tokens: deps.signIn.tokens }))
    .use(socketRoutes(deps))
    .get(
      "/*",
      ({ request }) => {
        if (notForConsole.test(new URL(request.url).pathname)) throw nothingHere();
        return deps.console.respond(request);
      },
      { detail: { hide: true } },
    );
  bodies.add(app.routes);
  routes.push(...(app.routes as readonly Route[]));
  for (const { method, path, hooks } of app.routes) {
    const audit: RouteAudit | { none: string } | undefined = hooks.detail?.["x-audit"];
    if (audit !== undefined && "action" in audit) audited.set(`${method} ${path}`, audit);
  }
  return app as unknown as HttpApp;
}
