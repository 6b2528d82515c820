import type { Config } from "../platform/config.ts";
import { localUrl, removeGatewayAddress, writeGatewayAddress } from "../platform/gateway-address.ts";
import type { Logger } from "../platform/log.ts";
import { StartupError } from "../platform/startup-error.ts";
import type { Tls } from "../platform/tls.ts";
import type { ConnectionGuard } from "./connection-guard.ts";
import type { HttpApp } from "./http-app.ts";
import { websocketHandler } from "./sockets.ts";
import { bothServers, strictHostOf, TlsServer } from "./tls-server.ts";

/** Above the largest body that any route takes; routes have limits of their own. */
const REQUEST_BYTES_MAX = 16 * 1024 * 1024;
const DRAIN_MS_MAX = 2_000;

function announce(directory: string, url: string, log: Logger): void {
  try {
    writeGatewayAddress(directory, url);
  } catch (error) {
    log.warn("commands on this machine will not find the gateway's address by themselves", { error });
  }
}

export function createHttpServer(deps: {
  app: HttpApp;
  connections: Pick<ConnectionGuard, "start" | "stop">;
  config: Pick<
    Config,
    "data" | "http_host" | "http_idle_timeout_s" | "http_port" | "https_port" | "public_url" | "tls"
  >;
  /** Opens a second port that speaks it. */
  tls: Tls | undefined;
  log: Logger;
}) {
  const { app, connections, config, tls, log } = deps;
  const host = config.http_host;
  const secure =
    tls &&
    new TlsServer({
      tls,
      port: config.https_port,
      idleSeconds: config.http_idle_timeout_s,
      host,
      requestBytesMax: REQUEST_BYTES_MAX,
      strictHost: strictHostOf(config),
      fetch: (request: Request) => app.fetch(request),
    });
  let port = config.http_port;
  return {
    name: "http",
    start(): void {
      try {
        app.listen({
          hostname: host,
          port,
          // Without this a second program could listen on the same port and take half of the requests.
          reusePort: false,
          idleTimeout: config.http_idle_timeout_s,
          maxRequestBodySize: REQUEST_BYTES_MAX,
          development: false,
          websocket: websocketHandler as NonNullable<Parameters<typeof app.listen>[0] & object>["websocket" &
            never], // Elysia types it for its own socket data
        });
      } catch (cause) {
        const busy = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
        const reason = busy
          ? "another program uses it"
          : cause instanceof Error
            ? cause.message
            : "it cannot be opened";
        throw new StartupError(
          `The HTTP port ${port} on ${host} cannot be used: ${reason}. Choose another with --http-port.`,
          { cause },
        );
      }
      port = app.server?.port ?? port;
      log.info("http listens", { host, port });
      announce(config.data, localUrl(host, port), log);
      connections.start();
      if (secure === undefined || app.server === null) return;
      secure.start();
      app.server = bothServers(app.server);
      log.info("https listens", { host, port: secure.port });
    },
    /** Stops accepting requests, finishes those in progress (2 s at most), then closes every connection. */
    async stop(): Promise<void> {
      const server = app.server;
      if (server === null) return;
      connections.stop();
      removeGatewayAddress(config.data);
      void server.stop(false); // would also wait for idle kept-alive connections
      void secure?.stop(false);
      const deadline = performance.now() + DRAIN_MS_MAX;
      const pending = () => server.pendingRequests + (secure?.pendingRequests ?? 0);
      while (pending() > 0 && performance.now() < deadline) await Bun.sleep(10);
      await Promise.all([server.stop(true), secure?.stop(true)]);
      app.server = null;
    },
    get port(): number {
      return port;
    },
    /** Returns the port of HTTPS; `undefined` without TLS. */
    get httpsPort(): number | undefined {
      return secure?.port;
    },
  };
}
