import { invalid } from "../../../lib/core/domain-error.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { randomToken } from "../../../platform/core/ids.ts";
import type { PeerServer } from "../../api/request-peer.ts";
import { clientOf } from "../request-client.ts";
import type { Caller } from "./password-check.ts";

const FIELD_LENGTH_MAX = 2048;
const DEVICE_COOKIE = "lineside_device";
const DEVICE_COOKIE_SECONDS = 180 * 24 * 3_600;

/** Returns the redirect target if it is this gateway: a path, or a URL with the request's own origin. */
export function ensureOwnRedirect(redirectUri: string | undefined, request: Request): string {
  if (redirectUri === undefined) return "/auth/callback";
  const origin = new URL(request.url).origin;
  const target = URL.canParse(redirectUri, origin) ? new URL(redirectUri, origin) : undefined;
  const isOwn = target?.host === new URL(request.url).host && /^https?:$/.test(target.protocol);
  // Dot segments may leave a path that begins with two slashes: browsers treat it as another host.
  if (target === undefined || !isOwn || target.pathname.startsWith("//"))
    throw invalid("auth.redirect_invalid");
  return redirectUri.startsWith("/") ? `${target.pathname}${target.search}` : target.href;
}

export function withCode(redirectUri: string, code: string, state: string | undefined): string {
  const query = new URLSearchParams({ code, ...(state === undefined ? {} : { state }) });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
}

/** State of a sign-in that is carried from page to page: target of its code, and branding. */
export interface Journey {
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
  readonly uiLocales: string | undefined;
  readonly theme: string | undefined;
}

export type ReadField = (name: string) => string | undefined;

/** Returns a reader of form or JSON fields; empty fields count as missing. */
export function readFields(body: unknown): ReadField {
  const fields = isJsonObject(body) ? body : {};
  return (name) => {
    const value = fields[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string" || value.length > FIELD_LENGTH_MAX)
      throw invalid("auth.request_invalid", { name });
    return value;
  };
}

export const isFormRequest = (request: Request): boolean =>
  !(request.headers.get("content-type") ?? "").includes("json");

/** Reads the journey. Form fields have RFC 6749's snake_case names, JSON fields those of the API. */
export function readJourney(text: ReadField, request: Request): Journey {
  const isForm = isFormRequest(request);
  return {
    redirectUri: ensureOwnRedirect(text(isForm ? "redirect_uri" : "redirectUri"), request),
    state: text("state"),
    codeChallenge: text(isForm ? "code_challenge" : "codeChallenge"),
    uiLocales: text("ui_locales"),
    theme: text("theme"),
  };
}

/** Returns the fields that carry a journey in a form or link, by their names there. */
export const journeyFields = (journey: Journey): Record<string, string | undefined> => ({
  redirect_uri: journey.redirectUri,
  state: journey.state,
  code_challenge: journey.codeChallenge,
  ui_locales: journey.uiLocales,
  theme: journey.theme,
});

export function deviceOf(request: Request): string | undefined {
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim().split("="));
  const value = cookies.find(([name]) => name === DEVICE_COOKIE)?.[1];
  return value !== undefined && /^[\w-]{16,64}$/.test(value) ? value : undefined;
}

/** Returns the cookie that a browser keeps from its first sign-in, which exempts it from the limit for unknown clients; it grants no access. */
export function deviceCookie(device: string, request: Request): string {
  const secure = new URL(request.url).protocol === "https:" ? "; Secure" : "";
  return `${DEVICE_COOKIE}=${device}; Path=/idp; Max-Age=${DEVICE_COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the caller: a browser is recognized by its cookie, a script only by its address. */
export function callerOf(request: Request, server: PeerServer | null): Caller {
  const { address, userAgent: client } = clientOf(request, server);
  const protocol = request.url.startsWith("https:") ? "https" : "http";
  const device = deviceOf(request) ?? (isFormRequest(request) ? randomToken(18) : undefined);
  return { address, device, protocol, client };
}
