import type { AnyElysia } from "elysia";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import type { RequestAudit } from "../modules/identity/request-audit.ts";
import type { Core } from "../modules/module.types.ts";
import type { RealtimeDeps } from "../modules/realtime/realtime-session.ts";
import type { DeviceSocketServer } from "../mqtt/device-sockets.types.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import { openAcceptedSockets } from "../platform/network/accepted-sockets.ts";
import { basePathOf } from "../platform/network/public-address.ts";
import type { Tls } from "../platform/network/tls.ts";
import { systemClock } from "../platform/time/clock.ts";
import { ConnectionGuard } from "./connection-guard.ts";
import { createConsoleFiles } from "./console.ts";
import { FrontDoor } from "./front-door.ts";
import { createHttpApp } from "./http-app.ts";
import { createHttpServer } from "./http-server.ts";

/** Creates the HTTP app, its ports and their connection limits. */
export function createHttpModule(
  core: Core,
  deps: {
    routes: readonly AnyElysia[];
    auth: AuthPlugin;
    requestAudit: RequestAudit;
    tokens: TokenSignIn;
    realtime: RealtimeDeps;
    mqtt: MqttServer;
    sockets: DeviceSocketServer;
    tls: Tls | undefined;
    isReady: () => boolean;
  },
) {
  const { config, database, identityDatabase, ports, version, commit } = core;
  const { tls } = deps;
  const log = core.log.child("http");
  const connections = new ConnectionGuard({
    limits: config,
    sockets: openAcceptedSockets(),
    ports: () => ({ plain: ports.get("http"), secure: ports.get("https"), mqttTls: ports.get("mqttTls") }),
    clock: systemClock, // peers keep to real time
    log,
  });
  const frontDoor = new FrontDoor(config);
  if (config.trusted_proxies !== undefined && config.public_url === undefined)
    log.warn("trusted_proxies set without public_url: links in mails lead to this machine");
  const http = createHttpApp({
    version,
    commit,
    config,
    log,
    routes: deps.routes,
    auth: deps.auth,
    requestAudit: deps.requestAudit,
    tokens: deps.tokens,
    realtime: deps.realtime,
    mqtt: deps.mqtt,
    sockets: deps.sockets,
    responses: core.responses,
    bodySpace: core.bodySpace,
    connections,
    console: createConsoleFiles({ basePath: basePathOf(config) }),
    frontDoor,
    isReady: deps.isReady,
    health: core.health,
    slow: core.slow,
    durable: async () => void (await Promise.all([database.durable(), identityDatabase.durable()])),
  });
  const server = createHttpServer({
    app: http,
    connections,
    config,
    isProxied: frontDoor.isNeeded,
    tls,
    log,
  });
  ports.add("http", () => server.port);
  ports.add("https", () => server.httpsPort);
  return { http, server, parts: [server] };
}
