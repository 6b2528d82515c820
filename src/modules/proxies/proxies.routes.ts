import { Elysia, t } from "elysia";
import { detail, inEnglish } from "../../lib/core/domain-error.ts";
import { canonicalAddress, isTrusted, readForwarded } from "../../lib/network/forwarded.ts";
import { addressBits, parseRange } from "../../lib/network/ip-range.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Config } from "../../platform/config/config.ts";
import { arrivalOf } from "../../platform/network/request-arrival.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { PeerServer } from "../api/request-peer.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { proxySettingsBody, proxySettingsInput, proxyTestResponse } from "./proxies.schemas.ts";
import type { ProxySettings, ProxySettingsInput } from "./proxy-settings.ts";

/** Headers added by a proxy. */
const HEADERS = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"] as const;
const VALUE_LENGTH_MAX = 500;

/** Data of a request as seen by the gateway. */
interface SeenRequest {
  /** Peer address of the connection. */
  readonly peer: string;
  readonly isTrusted: boolean;
  /** Address used as the client's. */
  readonly address: string;
  readonly protocol: "http" | "https";
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly problems: readonly Text[];
}

type ProxyConfig = Pick<Config, "public_url" | "trusted_proxies">;

function problemsOf(seen: Omit<SeenRequest, "problems">, { public_url: url }: ProxyConfig): Text[] {
  const isForwarded = Object.keys(seen.headers).length > 0;
  const problems: Text[] = [];
  if (isForwarded && !seen.isTrusted) problems.push(detail("proxy.not_trusted", { peer: seen.peer }));
  if (seen.isTrusted && !isForwarded) problems.push(detail("proxy.no_headers", { peer: seen.peer }));
  if (seen.isTrusted && isForwarded && seen.headers["x-forwarded-proto"] === undefined)
    problems.push(detail("proxy.no_protocol"));
  if (url === undefined) return problems;
  const { protocol, host } = new URL(url);
  if (protocol !== `${seen.protocol}:` || host !== new URL(`${seen.protocol}://${seen.host}`).host)
    problems.push(detail("proxy.other_address", { url, seen: `${seen.protocol}://${seen.host}` }));
  return problems;
}

/** Returns a request as a gateway with these settings would see it. */
function seeRequest(request: Request, server: PeerServer | null, config: ProxyConfig): SeenRequest {
  const arrival = arrivalOf(request);
  const trusted = (config.trusted_proxies ?? "").split(",").flatMap((entry) => parseRange(entry) ?? []);
  const peer = canonicalAddress(arrival?.peer.address ?? server?.requestIP(request)?.address ?? "unknown");
  const own = new URL(arrival?.url ?? request.url);
  const isProxy = isTrusted(addressBits(peer), trusted);
  const forwarded = isProxy ? readForwarded(request.headers, peer, trusted) : undefined;
  const seen = {
    peer,
    isTrusted: isProxy,
    address: forwarded?.address ?? peer,
    protocol: forwarded?.protocol ?? (own.protocol === "https:" ? "https" : "http"),
    host: forwarded?.host ?? own.host,
    headers: Object.fromEntries(
      HEADERS.flatMap((name) => {
        const value = request.headers.get(name);
        return value === null ? [] : [[name, value.slice(0, VALUE_LENGTH_MAX)]];
      }),
    ),
  } as const;
  return { ...seen, problems: problemsOf(seen, config) };
}
const FIXED = { 409: "The configuration sets one of the values." };

interface ProxyRouteDeps {
  readonly settings: ProxySettings;
  readonly restart: () => void;
  readonly tenants: Pick<TenantsService, "find">;
  readonly auth: AuthPlugin;
}

/** Returns the data of the current request as the gateway would see it with these settings. */
function toSeen(
  settings: ProxySettings,
  input: ProxySettingsInput,
  { request, server }: { request: Request; server: PeerServer | null },
) {
  const { problems, ...seen } = seeRequest(request, server, settings.inForce(input));
  return {
    ...seen,
    headers: { ...seen.headers },
    problems: problems.map((problem) => ({ ...problem, message: inEnglish(problem) })),
  };
}

const toShown = (settings: ProxySettings) => {
  const { fixed: keys, ...shown } = settings.shown();
  return { ...shown, fixed: [...keys] };
};

const restartRoutes = ({ restart, tenants, auth }: ProxyRouteDeps) =>
  new Elysia({ prefix: "/api/gateway", tags: ["gateway"] }).use(auth).post(
    "/restart",
    ({ principal, set }) => {
      ensureOperator(tenants, principal);
      restart();
      set.status = 202;
      return { success: true };
    },
    {
      auth: "gateway:manage",
      audit: { action: "gateway.restart", target: "gateway", id: () => "gateway" },
      response: { 202: t.Object({ success: t.Boolean() }) },
      detail: {
        operationId: "restartGateway",
        summary: "Restart the gateway",
        description: "It stops in an orderly way and starts anew. Devices and browsers connect again.",
        errors: OPERATORS_ONLY,
      },
    },
  );

/** Creates the routes for reverse-proxy settings, for operators of the gateway. */
const settingsRoutes = ({ settings, tenants, auth }: ProxyRouteDeps) =>
  new Elysia({ prefix: "/api/gateway/proxy", tags: ["gateway"] })
    .use(auth)
    .get(
      "",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return toShown(settings);
      },
      {
        auth: "gateway:manage",
        response: { 200: proxySettingsBody },
        detail: {
          operationId: "getProxySettings",
          summary: "Get the settings about reverse proxies",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .put(
      "",
      ({ principal, body }) => {
        ensureOperator(tenants, principal);
        settings.save(body);
        return toShown(settings);
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "proxy.configure",
          target: "gateway",
          id: () => "gateway",
          details: ({ response }: AuditContext) => response,
        },
        body: proxySettingsInput,
        response: { 200: proxySettingsBody },
        detail: {
          operationId: "setProxySettings",
          summary: "Change the settings about reverse proxies",
          description: "They take effect when the gateway starts again.",
          errors: { ...FIXED, ...OPERATORS_ONLY },
          example: { publicUrl: "https://plant.example/lineside", trustedProxies: "127.0.0.1, 10.0.5.0/24" },
        },
      },
    )
    .post(
      "/test",
      (context) => {
        ensureOperator(tenants, context.principal);
        return toSeen(settings, context.body, context);
      },
      {
        auth: "gateway:manage",
        audit: { none: "changes nothing" },
        body: proxySettingsInput,
        response: { 200: proxyTestResponse },
        detail: {
          operationId: "testProxySettings",
          summary: "Show what the gateway sees of this request",
          description: "With the settings of the request in place of those that are stored.",
          errors: { ...FIXED, ...OPERATORS_ONLY },
          example: { publicUrl: "https://plant.example/lineside", trustedProxies: "127.0.0.1" },
        },
      },
    );

export const proxiesRoutes = (deps: ProxyRouteDeps) => [settingsRoutes(deps), restartRoutes(deps)];
