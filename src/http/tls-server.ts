import type { Server } from "bun";
import type { Config } from "../platform/config.ts";
import type { SocketPeer } from "../platform/request-arrival.ts";
import { StartupError } from "../platform/startup-error.ts";
import { TLS_CIPHERS, type Tls } from "../platform/tls.ts";
import { clientOf } from "./front-door.ts";
import { type SocketHandlers, websocketHandler } from "./sockets.ts";

type HttpsServer = Server<SocketHandlers>;

/** Both ways in speak through one app, which asks the server of a request for its peer: this is which one it came through. */
const cameBy = new WeakMap<Request, HttpsServer>();

/**
 * Returns a server as the app sees it: of a request, the one that it came through, and as its address the client's. Without a plain server
 * all requests come by TLS.
 */
export function bothServers<Plain extends object>(plain: Plain): Plain {
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
  /** Host that browsers are told to reach by HTTPS alone from now on; undefined for none. */
  readonly strictHost: string | undefined;
}

/** Half a year, for this host alone. */
const STRICT_TRANSPORT = `max-age=${180 * 86_400}`;

/**
 * The host of `public_url`, where it is safe to have browsers never use HTTP there again: when people are meant to come by HTTPS, with a
 * certificate of an authority that browsers trust already. With the gateway's own authority a browser that does not trust it yet could not be
 * let in any more, and where people come by HTTP, the browser would look for TLS on the plain port.
 */
export function strictHostOf({
  public_url: publicUrl,
  tls,
}: Pick<Config, "public_url" | "tls">): string | undefined {
  const url = tls === "files" && publicUrl !== undefined ? new URL(publicUrl) : undefined;
  return url?.protocol === "https:" ? url.hostname : undefined;
}

/** HTTPS beside HTTP: the same app, with a certificate that may change while it runs. */
export class TlsServer {
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
        // After an upgrade to a WebSocket there is none.
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

  /** `reload` of a server leaves its certificate as it was, so another one takes the port over. */
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
