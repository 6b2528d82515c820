import { detail } from "../../../lib/core/domain-error.ts";
import { networkErrorText } from "../../../lib/network/network-error.ts";
import { urlProblem } from "../../../lib/network/outbound-request.ts";
import { readRetryAfterMs } from "../../../lib/network/retry-policy.ts";
import { type HttpContent, type HttpResponse, KeptHttp } from "../../../platform/network/keep-alive-http.ts";
import { withTimeLimit } from "../../../platform/network/time-limit.ts";
import { TargetError } from "../target.errors.ts";
import type { TargetContext } from "../target.types.ts";
import type { TlsSettings } from "./tls.schemas.ts";
import { tlsOptions } from "./tls-options.ts";

/**
 * Requests of a target to one server, only to permitted addresses. After a response that requests a pause, requests fail without being sent until it
 * is over.
 */
export class HttpConnection {
  readonly #timeoutMs: number;
  readonly #context: TargetContext;
  readonly #http: KeptHttp;
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
    const url = new URL(options.url);
    const { context } = options;
    this.#timeoutMs = options.timeoutMs;
    this.#context = context;
    this.#http = new KeptHttp({
      url,
      tls: tlsOptions(options.tls, url.hostname, context),
      resolve: (host, port) => context.resolve(host, port),
    });
  }

  /** Bytes of all sent bodies. */
  get bytesSent(): number {
    return this.#http.bytesSent;
  }

  /**
   * Resolves to the response with any status.
   * @throws TargetError `retry` if there was none
   */
  async request(content: HttpContent, signal: AbortSignal): Promise<HttpResponse> {
    signal.throwIfAborted();
    if (this.#pause !== undefined && performance.now() < this.#pause.untilMs) throw this.#pause.error;
    this.#pause = undefined;
    try {
      return await withTimeLimit(this.#timeoutMs, (limited) => this.#http.request(content, limited), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TargetError) throw error;
      throw new TargetError(
        "retry",
        detail("uplink.unreachable", { reason: networkErrorText(error) }),
        error,
      );
    }
  }

  /** Sends nothing until the time requested by the response; requests throw the error meanwhile. */
  pauseAfter(response: HttpResponse, error: TargetError): void {
    const pauseMs = readRetryAfterMs(response.headers["retry-after"], this.#context.now());
    if (pauseMs > 0) this.#pause = { untilMs: performance.now() + pauseMs, error };
  }

  close(): void {
    this.#http.close();
  }
}
