import type { Logger } from "../platform/log.ts";
import { StartupError } from "../platform/startup-error.ts";
import type { HttpApp } from "./http-app.ts";
import { websocketHandler } from "./sockets.ts";

/** Above the largest body that any route takes; routes have limits of their own. */
const REQUEST_BYTES_MAX = 16 * 1024 * 1024;
const DRAIN_MS_MAX = 2_000;

export interface HttpServer {
  readonly name: "http";
  start(): void;
  /** Takes no new requests, finishes those under way (2 s at most), then closes every connection. */
  stop(): Promise<void>;
  readonly port: number;
}

export function createHttpServer(deps: {
  app: HttpApp;
  host: string;
  port: number;
  log: Logger;
}): HttpServer {
  const { app, host } = deps;
  let port = deps.port;
  return {
    name: "http",
    start() {
      try {
        app.listen({
          hostname: host,
          port,
          // Without this a second program could listen on the same port and take half of the requests.
          reusePort: false,
          idleTimeout: 60,
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
      deps.log.info("http listens", { host, port });
    },
    async stop() {
      const server = app.server;
      if (server === null) return;
      void server.stop(false); // would also wait for idle kept-alive connections
      const deadline = performance.now() + DRAIN_MS_MAX;
      while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10);
      await server.stop(true);
      app.server = null;
    },
    get port() {
      return port;
    },
  };
}
