import type { AnyElysia } from "elysia";
import { type Forwarded, isTrusted, readForwarded } from "../lib/network/forwarded.ts";
import { type AddressBits, type AddressRange, addressBits, parseRange } from "../lib/network/ip-range.ts";
import type { Config } from "../platform/config/config.ts";
import { basePathOf } from "../platform/network/public-address.ts";
import {
  arrivalOf,
  noteArrival,
  type PeerReader,
  type SocketPeer,
} from "../platform/network/request-arrival.ts";
import { withBasePath } from "./base-path.ts";

/*
 * Processes requests that come through a reverse proxy before the app sees them. Only the front door decides who sent a request: the app asks its
 * server for the client's address (`requestIP`) and reads the URL, and both are the client's. It also removes the base path from URLs and adds it to
 * responses, so that the app does not know it.
 */

/** Max. remembered addresses. */
const REMEMBERED_MAX = 1_000;

/** Min. length of a host: Elysia searches the path after the eleventh character of a URL, which `http://pi/` does not reach. */
const HOST_LENGTH_MIN = 4;

type Handle = (request: Request) => Response | Promise<Response>;

/** Returns whether a request came from a trusted proxy. */
export const isForwarded = (request: Request): boolean => arrivalOf(request) !== undefined;

/** Returns the client of a request from a trusted proxy, and the peer of other requests. */
export const clientOf = (request: Request, peer: SocketPeer | null): SocketPeer | null =>
  arrivalOf(request)?.client ?? peer;

export class FrontDoor {
  readonly #trusted: readonly AddressRange[];
  readonly #base: string;
  /** Trust by address of the peer. */
  readonly #remembered = new Map<string, boolean>();

  constructor(config: Pick<Config, "public_url" | "trusted_proxies">) {
    this.#trusted = (config.trusted_proxies ?? "").split(",").flatMap((entry) => parseRange(entry) ?? []);
    this.#base = basePathOf(config);
  }

  /** False if the app can get every request unchanged. */
  get isNeeded(): boolean {
    return this.#base !== "" || this.#trusted.length > 0;
  }

  /** Runs before every route of an app. */
  guard(app: AnyElysia): void {
    if (!this.isNeeded) return;
    app.wrap((handle) => {
      const response = handle as unknown as Handle; // Elysia types it as any function
      return (request: Request) => this.#serve(request, app.server, response);
    });
  }

  /** Forwards a request in the form that the client sent. */
  async #serve(request: Request, server: PeerReader, handle: Handle): Promise<Response> {
    const forwarded = this.#arrive(request, server);
    this.#rewriteUrl(request, forwarded);
    const response = await handle(request);
    return this.#base === "" ? response : withBasePath(response, this.#base);
  }

  #arrive(request: Request, server: PeerReader): Forwarded | undefined {
    const peer = this.#trusted.length === 0 ? null : server?.requestIP(request);
    if (!peer || !this.#isTrusted(peer.address)) return undefined;
    const forwarded = readForwarded(request.headers, peer.address, this.#trusted);
    const client = { ...peer, address: forwarded.address };
    noteArrival(request, { peer, client, url: request.url });
    return forwarded;
  }

  #isTrusted(address: string): boolean {
    const remembered = this.#remembered.get(address);
    if (remembered !== undefined) return remembered;
    const bits: AddressBits | undefined = addressBits(address);
    const result = isTrusted(bits, this.#trusted);
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(address, result);
    return result;
  }

  /** Sets the URL that the client used, without the base path. Copying the request would buffer its body. */
  #rewriteUrl(request: Request, forwarded: Forwarded | undefined): void {
    const parts = /^(https?):\/\/([^/]*)(\/.*)$/s.exec(request.url);
    if (parts === null) return;
    const [, scheme = "", ownHost = "", target = ""] = parts;
    const protocol = forwarded?.protocol ?? scheme;
    const host = forwarded?.host ?? ownHost;
    const path = this.#withoutBase(target);
    if (protocol === scheme && host === ownHost && path === target) return;
    const isShort = host.length < HOST_LENGTH_MIN && protocol === "http";
    Object.defineProperty(request, "url", { value: `${protocol}://${host}${isShort ? ":80" : ""}${path}` });
  }

  #withoutBase(target: string): string {
    const base = this.#base;
    if (base === "" || !target.startsWith(base)) return target;
    const rest = target.slice(base.length);
    if (rest.startsWith("/")) return rest;
    return rest === "" || rest.startsWith("?") ? `/${rest}` : target;
  }
}
