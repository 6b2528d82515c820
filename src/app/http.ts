import { ConnectionGuard } from "../http/connection-guard.ts";
import { createHttpApp, type HttpApp, type HttpDeps } from "../http/http-app.ts";
import { createHttpServer, type HttpServer } from "../http/http-server.ts";
import { openAcceptedSockets } from "../platform/accepted-sockets.ts";
import { systemClock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Tls } from "../platform/tls.ts";

/** The HTTP app, the ports that it listens on, and the limits on their connections. */
export function createHttp({
  tls,
  ...deps
}: Omit<HttpDeps, "config" | "connections"> & { config: Config; tls: Tls | undefined }): {
  http: HttpApp;
  server: HttpServer;
} {
  const { config, log } = deps;
  const connections = new ConnectionGuard({
    limits: config,
    sockets: openAcceptedSockets(),
    ports: () => ({ plain: server.port, secure: server.httpsPort }),
    clock: systemClock, // peers keep to real time
    log,
  });
  const http = createHttpApp({ ...deps, connections });
  const server = createHttpServer({ app: http, connections, config, tls, log });
  return { http, server };
}
