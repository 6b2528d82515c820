import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { ConnectionOptions } from "node:tls";
import { openLimited, responseTo } from "./limited-http.ts";
import { portOf } from "./outbound-address.ts";

const RESPONSE_BYTES_MAX = 64 * 1024;
/** Max. addresses of a host name that are tried one after the other. */
const ADDRESSES_MAX = 3;
const IDLE_TIMEOUT_MS = 30_000;
const HEADERS_BYTES_MAX = 32 * 1024;
const IDLE_SOCKETS_MAX = 4;

export interface HttpContent {
  /** Default: `POST`. */
  readonly method?: string;
  /** Path after the configured URL, such as `/write?db=plant`. */
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  /** Max. bytes read of the response; default 64 KiB. */
  readonly responseBytesMax?: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

const isLost = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

export const bodyText = ({ body }: HttpResponse): string => new TextDecoder().decode(body);

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Requests to one server over connections that stay open in between, because a handshake would cost more than a request. They ignore proxies of the
 * environment, do not follow redirects, and limit what the server may send.
 */
export class KeptHttp {
  readonly #url: URL;
  readonly #resolve: (host: string, port: number) => Promise<readonly string[]>;
  readonly #tls: ConnectionOptions;
  /** Agents by address. */
  readonly #agents = new Map<string, Agent>();
  /** Index of the address to try first, which worked last. */
  #firstAddress = 0;
  #bytesSent = 0;

  constructor(options: {
    url: URL;
    /** Used for `https:`. */
    tls: ConnectionOptions;
    /** Returns the addresses to connect to. */
    resolve: (host: string, port: number) => Promise<readonly string[]>;
  }) {
    this.#url = options.url;
    this.#tls = options.tls;
    this.#resolve = options.resolve;
  }

  /** Bytes of all sent bodies. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /**
   * Resolves to the response with any status.
   * @throws the reason of the signal, or the error of the network
   */
  async request(content: HttpContent, signal: AbortSignal): Promise<HttpResponse> {
    try {
      return await this.#exchange(content, signal);
    } catch (error) {
      this.#firstAddress++;
      throw error;
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  async #exchange(content: HttpContent, signal: AbortSignal): Promise<HttpResponse> {
    const addresses = await this.#addresses(signal);
    for (let attempt = 1; ; attempt++) {
      const address = addresses[this.#firstAddress % addresses.length] ?? "";
      try {
        return await this.#attempt(address, content, signal);
      } catch (error) {
        if (signal.aborted || attempt >= Math.min(addresses.length, ADDRESSES_MAX)) throw error;
        this.#firstAddress++;
      }
    }
  }

  /** Returns the addresses. A lookup cannot be canceled; the request merely stops waiting for it. */
  async #addresses(signal: AbortSignal): Promise<readonly string[]> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([
        this.#resolve(this.#url.hostname.replace(/^\[|\]$/g, ""), portOf(this.#url)),
        aborted.promise,
      ]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #attempt(address: string, content: HttpContent, signal: AbortSignal): Promise<HttpResponse> {
    const { pathname, search, host } = this.#url;
    const base = content.path === undefined ? pathname + search : pathname.replace(/\/$/, "") + content.path;
    this.#bytesSent += content.body === undefined ? 0 : Buffer.byteLength(content.body);
    const outgoing = request({
      agent: this.#agentFor(address),
      host: address,
      port: portOf(this.#url),
      path: base,
      method: content.method ?? "POST",
      maxHeaderSize: HEADERS_BYTES_MAX,
      headers: {
        "User-Agent": "Lineside",
        "Accept-Encoding": "identity",
        ...content.headers,
        Host: host,
        ...(content.body !== undefined && { "Content-Length": Buffer.byteLength(content.body) }),
      },
    });
    const bodyBytesMax = content.responseBytesMax ?? RESPONSE_BYTES_MAX;
    const response = responseTo(outgoing, { bodyBytesMax, signal, isKept: true });
    outgoing.end(content.body);
    try {
      return await response;
    } catch (error) {
      // The server had closed the connection since the last request.
      if (outgoing.reusedSocket && isLost(error) && !signal.aborted)
        return this.#attempt(address, content, signal);
      throw error;
    }
  }

  #agentFor(address: string): Agent {
    const existing = this.#agents.get(address);
    if (existing !== undefined) return existing;
    const agent = new Agent({
      keepAlive: true,
      maxFreeSockets: IDLE_SOCKETS_MAX,
      timeout: IDLE_TIMEOUT_MS,
    });
    const place = { host: address, port: portOf(this.#url) };
    const tls = this.#url.protocol === "https:" ? this.#tls : undefined;
    Object.assign(agent, { createConnection: () => openLimited(place, tls) });
    this.#agents.set(address, agent);
    return agent;
  }
}
