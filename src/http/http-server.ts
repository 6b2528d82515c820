import type { Config } from "../platform/config.ts";
import {
  type GatewayAddress,
  localUrl,
  removeGatewayAddress,
  writeGatewayAddress,
} from "../platform/gateway-address.ts";
import type { Logger } from "../platform/log.ts";
import { isPlainForMachine } from "../platform/own-origin.ts";
import { publicAddressOf } from "../platform/public-address.ts";
import { StartupError } from "../platform/startup-error.ts";
import type { Tls } from "../platform/tls.ts";
import type { ConnectionGuard } from "./connection-guard.ts";
import type { HttpApp } from "./http-app.ts";
import { websocketHandler } from "./sockets.ts";
import { bothServers, strictHostOf, TlsServer } from "./tls-server.ts";

/** Above the largest body that any route takes; routes have limits of their own. */
const REQUEST_BYTES_MAX = 16 * 1024 * 1024;
const DRAIN_MS_MAX = 2_000;

type HttpServerConfig = Pick<
  Config,
  | "data"
  | "http_host"
  | "http_idle_timeout_s"
  | "http_port"
  | "https_host"
  | "https_port"
  | "public_url"
  | "tls"
>;
type PlainServer = NonNullable<HttpApp["server"]>;

/** Opens the port without TLS. */
function listenPlain(app: HttpApp, config: HttpServerConfig, port: number): PlainServer | null {
  const host = config.http_host;
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
    return app.server;
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
}

function createTlsServer(app: HttpApp, config: HttpServerConfig, tls: Tls | undefined) {
  const { https_port: port } = config;
  if (tls === undefined || port === "off") return undefined;
  return new TlsServer({
    tls,
    port,
    idleSeconds: config.http_idle_timeout_s,
    host: config.https_host ?? config.http_host,
    requestBytesMax: REQUEST_BYTES_MAX,
    strictHost: strictHostOf(config),
    fetch: (request: Request) => app.fetch(request),
  });
}

function announceAddress(directory: string, address: GatewayAddress, log: Logger): void {
  try {
    writeGatewayAddress(directory, address);
  } catch (error) {
    log.warn("commands on this machine will not find the gateway's address by themselves", { error });
  }
}

/** Where the gateway is reached, once it listens. */
function addressesOf(deps: {
  config: HttpServerConfig;
  tls: Tls | undefined;
  plainPort: () => number | undefined;
  securePort: () => number | undefined;
}) {
  const { config, tls, plainPort, securePort } = deps;
  const secureHost = config.https_host ?? config.http_host;
  const secureUrl = () => localUrl(secureHost, securePort() ?? 0, "https");
  const plainUrl = () => localUrl(config.http_host, plainPort() ?? 0);
  return {
    /** Returns the address for programs on this machine. */
    local(): GatewayAddress {
      if (plainPort() !== undefined) return { url: plainUrl() };
      return { url: secureUrl(), certificate: tls && `${tls.current.cert}\n${tls.authority ?? ""}` };
    },
    /** Returns `public_url`, or where users on this machine reach it. */
    forUsers(): string {
      const isSecure = plainPort() === undefined || isPlainForMachine(config);
      const isEverywhere = ["0.0.0.0", "::"].includes(isSecure ? secureHost : config.http_host);
      const url = isSecure ? secureUrl() : plainUrl();
      return publicAddressOf(config) ?? (isEverywhere ? url.replace("127.0.0.1", "localhost") : url);
    },
  };
}

export function createHttpServer(deps: {
  app: HttpApp;
  connections: Pick<ConnectionGuard, "start" | "stop">;
  config: HttpServerConfig;
  /** True if requests may come from trusted proxies. */
  isProxied: boolean;
  /** Opens a second port that speaks it. */
  tls: Tls | undefined;
  log: Logger;
}) {
  const { app, connections, config, tls, log } = deps;
  const secure = createTlsServer(app, config, tls);
  const secureHost = config.https_host ?? config.http_host;
  let plain: PlainServer | null = null;

  const addresses = addressesOf({
    config,
    tls,
    plainPort: () => plain?.port,
    securePort: () => secure?.port,
  });

  const announce = () => announceAddress(config.data, addresses.local(), log);

  function startSecure(): void {
    if (secure === undefined) return;
    secure.start();
    log.info("https listens", { host: secureHost, port: secure.port });
    if (plain === null) tls?.onChange(announce);
  }

  return {
    name: "http",
    start(): void {
      if (config.http_port !== "off") {
        plain = listenPlain(app, config, config.http_port);
        log.info("http listens", { host: config.http_host, port: plain?.port });
      }
      startSecure();
      if (secure !== undefined || deps.isProxied) app.server = bothServers(plain ?? ({} as PlainServer)); // without it, each request has its own server
      announce();
      connections.start();
    },
    /** Stops accepting requests, finishes those in progress (2 s at most), then closes every connection. */
    async stop(): Promise<void> {
      if (app.server === null) return;
      connections.stop();
      removeGatewayAddress(config.data);
      void plain?.stop(false); // would also wait for idle kept-alive connections
      void secure?.stop(false);
      const deadline = performance.now() + DRAIN_MS_MAX;
      const pending = () => (plain?.pendingRequests ?? 0) + (secure?.pendingRequests ?? 0);
      while (pending() > 0 && performance.now() < deadline) await Bun.sleep(10);
      await Promise.all([plain?.stop(true), secure?.stop(true)]);
      app.server = null;
    },
    /** Returns the address for users: `public_url`, or where they reach the gateway on this machine. */
    get url(): string {
      return addresses.forUsers();
    },
    /** Returns the port of HTTP without TLS; `undefined` where it is off, and before the start. */
    get port(): number | undefined {
      return plain?.port;
    },
    /** Returns the port of HTTPS; `undefined` without TLS. */
    get httpsPort(): number | undefined {
      return secure?.port;
    },
  };
}
