import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { type OutboundAddresses, portOf } from "../../platform/outbound-address.ts";
import { createHttpAnswerReader, type HttpAnswerReader } from "./http-answer.ts";

/** Addresses of a name that are tried one after the other. */
const ADDRESSES_MAX = 3;

export interface HttpRequest {
  /** For whom: it decides where the request may go. */
  readonly tenantId: TenantId;
  readonly url: string;
  readonly method: string;
  /** Names and values as they go out. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** For the whole: name, connection, sending, answer. */
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The first bytes. */
  readonly body: Buffer;
}

/**
 * One request over a connection of its own. The connection goes to an address that was judged, by number: a name that leads elsewhere
 * a moment later changes nothing. Redirects are an answer like any other.
 */
export type HttpExchange = (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>;

const bracketed = /^\[|\]$/g;

function serialize(url: URL, { method, headers, body }: HttpRequest): Buffer {
  const content = Buffer.from(body, "utf8");
  const own = [
    ["Host", url.host],
    ["Connection", "close"],
    ["Accept", "*/*"],
    ["Content-Length", String(content.length)],
  ];
  const lines = [...own, ...headers].map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${url.pathname}${url.search} HTTP/1.1`, ...lines, "", ""];
  // A line break in any of them would begin a header, or a request, of its own.
  if (head.slice(0, -2).some((line) => /[\r\n\0]/.test(line)))
    throw new Error("a header has a line break in it");
  return Buffer.concat([Buffer.from(head.join("\r\n"), "latin1"), content]);
}

export function createHttpExchange(deps: {
  addresses: OutboundAddresses;
  clock: Clock;
  /** Authorities that are trusted; the usual ones when undefined. */
  authorities?: readonly string[] | undefined;
}): HttpExchange {
  const { addresses, clock, authorities } = deps;

  function open(url: URL, address: string, port: number): Socket {
    if (url.protocol === "http:") return connectPlain({ host: address, port });
    const name = url.hostname.replace(bracketed, "");
    return connectTls({
      host: address,
      port,
      // The certificate is held against the name, not the address that it led to.
      servername: name,
      ALPNProtocols: ["http/1.1"],
      ...(authorities && { ca: [...authorities] }),
    });
  }

  /** @throws NotConnected when nothing was sent yet, and another address may be tried. */
  function converse(
    target: { url: URL; address: string; port: number; waitMs: number },
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<HttpAnswerReader> {
    const { url, address, port } = target;
    const reader = createHttpAnswerReader();
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswerReader>();
    const socket = open(url, address, port);
    let isConnected = false;
    const finish = (error?: unknown) => {
      cancel();
      signal.removeEventListener("abort", aborted);
      socket.destroy();
      // Once the status is there, it counts, whatever becomes of the rest.
      if (reader.head !== undefined) resolve(reader);
      else reject(isConnected ? error : new NotConnected(error));
    };
    const aborted = () => finish(signal.reason);
    const cancel = clock.schedule(target.waitMs, () => {
      if (!isConnected) finish(Object.assign(new Error(), { code: "ETIMEDOUT" }));
    });
    signal.addEventListener("abort", aborted);
    socket.on("error", finish);
    socket.on("close", () => finish(Object.assign(new Error(), { code: "ECONNRESET" })));
    socket.on("end", () => finish(Object.assign(new Error(), { code: "ECONNRESET" })));
    socket.on("data", (data: Buffer) => {
      try {
        if (reader.push(data)) finish();
      } catch (error) {
        finish(error);
      }
    });
    socket.once(url.protocol === "http:" ? "connect" : "secureConnect", () => {
      isConnected = true;
      socket.write(bytes);
    });
    if (signal.aborted) aborted();
    return promise;
  }

  async function run(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(request.url);
    const bytes = serialize(url, request);
    const port = portOf(url);
    // A name that is looked up cannot be called off; it can be waited for no longer.
    const resolved = addresses.of(request.tenantId).resolve(url.hostname, port);
    const found = (await Promise.race([resolved, rejection(signal)])).slice(0, ADDRESSES_MAX);
    const waitMs = Math.ceil(request.timeoutMs / found.length);
    let failure: unknown = new Error("there was no answer");
    for (const address of found) {
      if (signal.aborted) break;
      try {
        const { head, body } = await converse({ url, address, port, waitMs }, bytes, signal);
        if (head !== undefined) return { ...head, body };
      } catch (error) {
        if (!(error instanceof NotConnected)) throw error;
        failure = error.cause;
      }
    }
    throw failure;
  }

  return async (request, outer) => {
    const controller = new AbortController();
    const abort = () => controller.abort(outer.reason);
    outer.addEventListener("abort", abort);
    if (outer.aborted) abort();
    const cancel = clock.schedule(request.timeoutMs, () =>
      controller.abort(new Error(`there was no answer within ${request.timeoutMs} ms`)),
    );
    try {
      return await run(request, controller.signal);
    } finally {
      cancel();
      outer.removeEventListener("abort", abort);
    }
  };
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** Nothing was sent yet. */
class NotConnected extends Error {
  constructor(cause: unknown) {
    super("not connected", { cause });
  }
}
