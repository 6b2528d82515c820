import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { detail, unavailable } from "../../../lib/core/domain-error.ts";
import { networkErrorText } from "../../../lib/network/network-error.ts";
import { urlProblem } from "../../../lib/network/outbound-request.ts";
import { retryAfter } from "../../../lib/network/retry-policy.ts";
import { answerTo, openLimited } from "../../../platform/network/limited-http.ts";
import { portOf } from "../../../platform/network/outbound-address.ts";
import { TargetError } from "../target.errors.ts";
import type { TargetContext } from "../target.types.ts";
import type { TlsSettings } from "./tls.schemas.ts";
import { type TlsOptions, tlsOptions } from "./tls-options.ts";

const ANSWER_BYTES_MAX = 64 * 1024;
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
  readonly answerBytesMax?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

const isLost = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

export const textOf = ({ body }: HttpAnswer): string => new TextDecoder().decode(body);

/**
 * Requests to one server over connections that stay open between batches, because a handshake would cost more than a batch. They only connect to
 * permitted addresses, ignoring proxies of the environment, and do not follow redirects. After a response that requests a pause, requests fail
 * without being sent until it is over.
 */
export class HttpConnection {
  readonly #url: URL;
  readonly #timeoutMs: number;
  readonly #context: TargetContext;
  readonly #tls: TlsOptions;
  readonly #isSecure: boolean;
  /** Agents by address. */
  readonly #agents = new Map<string, Agent>();
  readonly #host: Readonly<Record<string, string>>;
  /** Index of the address to try first, which worked last. */
  #firstAddress = 0;
  #bytesSent = 0;
  #pause: { readonly untilMs: number; readonly error: TargetError } | undefined;

  /** @throws TargetError `settings` for an invalid URL or certificate */
  constructor(options: {
    url: string;
    tls: TlsSettings | null;
    timeoutMs: number;
    context: TargetContext;
  }) {
    const problem = urlProblem(options.url);
    if (problem !== undefined) throw new TargetError("settings", problem);
    this.#url = new URL(options.url);
    this.#timeoutMs = options.timeoutMs;
    this.#context = options.context;
    const { hostname, host, protocol } = this.#url;
    this.#tls = tlsOptions(options.tls, hostname, options.context);
    this.#isSecure = protocol === "https:";
    this.#host = { Host: host };
  }

  /** Bytes of all sent bodies. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /**
   * Resolves to the response with any status.
   * @throws TargetError `retry` if there was none
   */
  async request(content: HttpContent, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted();
    if (this.#pause !== undefined && performance.now() < this.#pause.untilMs) throw this.#pause.error;
    this.#pause = undefined;
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = setTimeout(
      () => controller.abort(unavailable("network_error.no_answer_within", { ms: this.#timeoutMs })),
      this.#timeoutMs,
    );
    try {
      return await this.#exchange(content, controller.signal);
    } catch (error) {
      this.#firstAddress++;
      signal.throwIfAborted();
      if (error instanceof TargetError) throw error;
      throw new TargetError(
        "retry",
        detail("uplink.unreachable", { reason: networkErrorText(error) }),
        error,
      );
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Sends nothing until the time requested by the response; requests throw the error meanwhile. */
  pauseAfter(answer: HttpAnswer, error: TargetError): void {
    const pauseMs = retryAfter(answer.headers["retry-after"], this.#context.now());
    if (pauseMs > 0) this.#pause = { untilMs: performance.now() + pauseMs, error };
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  async #exchange(content: HttpContent, signal: AbortSignal): Promise<HttpAnswer> {
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

  /** Returns the addresses. A lookup cannot be cancelled; the request merely stops waiting for it. */
  async #addresses(signal: AbortSignal): Promise<string[]> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([
        this.#context.resolve(this.#url.hostname.replace(/^\[|\]$/g, ""), portOf(this.#url)),
        aborted.promise,
      ]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #attempt(address: string, content: HttpContent, signal: AbortSignal): Promise<HttpAnswer> {
    const { pathname, search } = this.#url;
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
        ...this.#host,
        ...(content.body !== undefined && { "Content-Length": Buffer.byteLength(content.body) }),
      },
    });
    const bodyBytesMax = content.answerBytesMax ?? ANSWER_BYTES_MAX;
    const answer = answerTo(outgoing, { bodyBytesMax, signal, isKept: true });
    outgoing.end(content.body);
    try {
      return await answer;
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
    Object.assign(agent, {
      createConnection: () => openLimited(place, this.#isSecure ? this.#tls : undefined),
    });
    this.#agents.set(address, agent);
    return agent;
  }
}
