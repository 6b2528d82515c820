import { isIP, type LookupFunction } from "node:net";
import { unavailable } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { type LimitedResponse, openLimited, responseTo } from "../../platform/network/limited-http.ts";
import { type OutboundAddresses, portOf } from "../../platform/network/outbound-address.ts";
import type { Clock } from "../../platform/time/clock.ts";

/** Max. addresses of a host name that are tried one after the other. */
const ADDRESSES_MAX = 3;
const HEADERS_BYTES_MAX = 32 * 1024;
const BODY_BYTES_MAX = 64 * 1024;

export interface HttpRequest {
  /** Tenant whose rule decides which addresses are permitted. */
  readonly tenantId: TenantId;
  readonly url: string;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Time limit for the whole exchange in ms: lookup, connection, request and response. */
  readonly timeoutMs: number;
}

/**
 * Sends one request over its own connection, only to addresses permitted by the tenant's rule; a DNS change after the check has no effect. Redirects
 * are returned like any response, not followed.
 */
export type HttpExchange = (request: HttpRequest, signal: AbortSignal) => Promise<LimitedResponse>;

/** Returns a lookup with only the given addresses, so that no second query can return others. */
function lookupAmong(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = found;
    if (options.all || first === undefined) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

/** Loads the client at the first request, which saves some ms at startup. */
const clientFor = ({ protocol }: URL) => (protocol === "http:" ? import("node:http") : import("node:https"));

export function createHttpExchange(deps: {
  addresses: OutboundAddresses;
  clock: Clock;
  /** Authorities trusted instead of the system's. */
  authorities?: readonly string[] | undefined;
}): HttpExchange {
  const { addresses, clock, authorities } = deps;

  async function run(request: HttpRequest, signal: AbortSignal): Promise<LimitedResponse> {
    const url = new URL(request.url);
    const { request: begin } = await clientFor(url);
    // A lookup cannot be canceled; the exchange merely stops waiting for it.
    const resolved = addresses.of(request.tenantId).resolve(url.hostname, portOf(url));
    const found = (await Promise.race([resolved, rejection(signal)])).slice(0, ADDRESSES_MAX);
    signal.throwIfAborted();
    const content = Buffer.from(request.body, "utf8");
    const place = {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: portOf(url),
      lookup: lookupAmong(found),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.ceil(request.timeoutMs / found.length),
    };
    const tls = {
      // An environment variable could switch verification off; this option overrides it.
      rejectUnauthorized: true,
      ...(isIP(place.host) === 0 && { servername: place.host }),
      ...(authorities && { ca: [...authorities] }),
    };
    const outgoing = begin(url, {
      method: request.method,
      maxHeaderSize: HEADERS_BYTES_MAX,
      createConnection: () => openLimited(place, url.protocol === "https:" ? tls : undefined),
    });
    const response = responseTo(outgoing, { bodyBytesMax: BODY_BYTES_MAX, signal });
    try {
      outgoing.setHeader("Accept", "*/*");
      outgoing.setHeader("Connection", "close");
      for (const [name, value] of request.headers) outgoing.setHeader(name, value);
      outgoing.setHeader("Content-Length", content.length);
      outgoing.end(content);
    } catch (error) {
      outgoing.destroy(error instanceof Error ? error : undefined);
    }
    return response;
  }

  return async (request, outer) => {
    const controller = new AbortController();
    const abort = () => controller.abort(outer.reason);
    outer.addEventListener("abort", abort);
    if (outer.aborted) abort();
    const cancel = clock.schedule(request.timeoutMs, () =>
      controller.abort(unavailable("network_error.no_response_within", { ms: request.timeoutMs })),
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
