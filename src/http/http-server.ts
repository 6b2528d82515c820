import type { Server } from "bun";
import type { Config } from "../platform/config/config.ts";
import type { Logger } from "../platform/core/log.ts";
import { REQUEST_BYTES_MAX } from "../platform/load/body-space.ts";
import {
  type GatewayAddress,
  localUrl,
  removeGatewayAddress,
  writeGatewayAddress,
} from "../platform/network/gateway-address.ts";
import { isPlainForMachine } from "../platform/network/own-origin.ts";
import { publicAddressOf } from "../platform/network/public-address.ts";
import type { SocketPeer } from "../platform/network/request-arrival.ts";
import { TLS_CIPHERS, type Tls } from "../platform/network/tls.ts";
import { StartupError } from "../platform/process/startup-error.ts";
import type { ConnectionGuard } from "./connection-guard.ts";
import { clientOf } from "./front-door.ts";
import type { HttpApp } from "./http-app.ts";
import { type SocketHandlers, websocketHandler } from "./sockets.ts";

type HttpsServer = Server<SocketHandlers>;

/** HTTPS server by request. Both ports share one app, which asks the server of a request for its peer. */
const cameBy = new WeakMap<Request, HttpsServer>();

/** Returns a server for the app: each request uses the server that received it. Without a plain server, all requests use TLS. */
function bothServers<Plain extends object>(plain: Plain): Plain {
  return new Proxy(plain, {
    get(target, property) {
      if (property === "requestIP" || property === "upgrade" || property === "timeout")
        return (request: Request, ...rest: unknown[]) => {
          const server: object = cameBy.get(request) ?? target;
          const method = Reflect.get(server, property) as (...args: unknown[]) => unknown; // of both kinds of server
          const result = method.call(server, request, ...rest);
          return property === "requestIP" ? clientOf(request, result as SocketPeer | null) : result;
        };
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

interface TlsServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly host: string;
  readonly idleSeconds: number;
  readonly port: number;
  readonly requestBytesMax: number;
  readonly tls: Tls;
  /** Host that browsers must only reach by HTTPS from now on; undefined for none. */
  readonly strictHost: string | undefined;
}

/** Half a year, for this host alone. */
const STRICT_TRANSPORT = `max-age=${180 * 86_400}`;

/**
 * Returns the host of `public_url` if browsers can safely avoid HTTP there: users must come by HTTPS, with a certificate of an authority that
 * browsers already trust. A browser that does not trust the gateway's own authority yet could no longer get in; and if users come by HTTP, browsers
 * would expect TLS on the plain port.
 */
export function strictHostOf({
  public_url: publicUrl,
  tls,
}: Pick<Config, "public_url" | "tls">): string | undefined {
  const url = tls === "files" && publicUrl !== undefined ? new URL(publicUrl) : undefined;
  return url?.protocol === "https:" ? url.hostname : undefined;
}

/** HTTPS beside HTTP: the same app, with a certificate that may change at run time. */
class TlsServer {
  readonly #options: TlsServerOptions;
  #server: HttpsServer | undefined;
  #port: number | undefined;
  /** Servers with earlier certificates. They accept no new connections and end with their last one. */
  readonly #before = new Set<HttpsServer>();

  constructor(options: TlsServerOptions) {
    this.#options = options;
  }

  get port(): number | undefined {
    return this.#port;
  }

  get pendingRequests(): number {
    return [...this.#before].reduce(
      (sum, server) => sum + server.pendingRequests,
      this.#server?.pendingRequests ?? 0,
    );
  }

  start(): void {
    const { tls, port, host } = this.#options;
    try {
      this.#server = this.#listen(port);
      this.#port = this.#server.port;
    } catch (cause) {
      const busy = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
      const reason = busy ? "another program uses it" : "it cannot be opened";
      throw new StartupError(
        `The HTTPS port ${port} on ${host} cannot be used: ${reason}. Choose another with --https-port.`,
        { cause },
      );
    }
    tls.onChange(() => this.#renew());
  }

  async stop(force: boolean): Promise<void> {
    const servers = [...this.#before, ...(this.#server === undefined ? [] : [this.#server])];
    await Promise.all(servers.map((server) => server.stop(force)));
    if (!force) return;
    this.#server = undefined;
    this.#port = undefined;
  }

  #listen(port: number): HttpsServer {
    const { fetch, host, idleSeconds, requestBytesMax, tls, strictHost } = this.#options;
    const { cert, key } = tls.current;
    return Bun.serve<SocketHandlers>({
      hostname: host,
      port,
      tls: { cert, key, ciphers: TLS_CIPHERS },
      reusePort: false,
      idleTimeout: idleSeconds,
      maxRequestBodySize: requestBytesMax,
      development: false,
      websocket: websocketHandler,
      async fetch(request, server) {
        cameBy.set(request, server);
        const response = await fetch(request);
        // There is no response after an upgrade to a WebSocket.
        if (
          strictHost !== undefined &&
          request.url.startsWith(`https://`) &&
          new URL(request.url).hostname === strictHost
        )
          response?.headers.set("strict-transport-security", STRICT_TRANSPORT);
        return response;
      },
    });
  }

  /** Replaces the server, because `reload` does not change its certificate. */
  #renew(): void {
    const old = this.#server;
    if (this.#port === undefined) return;
    if (old !== undefined) {
      this.#server = undefined;
      this.#before.add(old);
      void old.stop(false).then(() => this.#before.delete(old));
    }
    this.#server = this.#listen(this.#port);
  }
}

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
  const exitListeners = process.listeners("beforeExit");
  try {
    app.listen({
      hostname: host,
      port,
      // Otherwise, a second program could listen on the same port and receive half of the requests.
      reusePort: false,
      idleTimeout: config.http_idle_timeout_s,
      maxRequestBodySize: REQUEST_BYTES_MAX,
      development: false,
      websocket: websocketHandler as NonNullable<Parameters<typeof app.listen>[0] & object>["websocket" &
        never], // Elysia types it for its own socket data
    });
    // Elysia stops the server before the process exits, and never removes that listener, which keeps the whole gateway in memory after `stop()`.
    for (const listener of process.listeners("beforeExit"))
      if (!exitListeners.includes(listener)) process.off("beforeExit", listener);
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

/** Returns the addresses of the gateway once it listens. */
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
    /** Returns `public_url`, or the address for users on this machine. */
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
  /** TLS for a second port; undefined for none. */
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
    log.info("HTTPS server listening", { host: secureHost, port: secure.port });
    if (plain === null) tls?.onChange(announce);
  }

  return {
    name: "http",
    start(): void {
      if (config.http_port !== "off") {
        plain = listenPlain(app, config, config.http_port);
        log.info("HTTP server listening", { host: config.http_host, port: plain?.port });
      }
      startSecure();
      if (secure !== undefined || deps.isProxied) app.server = bothServers(plain ?? ({} as PlainServer)); // without it, each request has its own server
      announce();
      connections.start();
    },
    /** Stops accepting requests, finishes those in progress (for at most 2 s), then closes all connections. */
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
    /** Address for users: `public_url`, or the address on this machine. */
    get url(): string {
      return addresses.forUsers();
    },
    /** Port of HTTP without TLS; undefined if it is off, and before the start. */
    get port(): number | undefined {
      return plain?.port;
    },
    /** Port of HTTPS; undefined without TLS. */
    get httpsPort(): number | undefined {
      return secure?.port;
    },
  };
}
