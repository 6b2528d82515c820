import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/domain-error.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { PeerServer } from "../request-peer.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { proxySettingsBody, proxySettingsInput, proxyTestAnswer } from "./proxies.schemas.ts";
import type { ProxySettings, ProxySettingsInput } from "./proxy-settings.ts";
import { seeRequest } from "./seen-request.ts";

const operators = "403 unless owner of the gateway's own tenant, with access to all devices.";
const fixed = "409 for a value that the configuration sets.";

interface ProxyRouteDeps {
  readonly settings: ProxySettings;
  readonly restart: () => void;
  readonly tenants: Pick<TenantsService, "find">;
  readonly auth: AuthPlugin;
}

/** Returns the data of the present request that the gateway would see with these settings. */
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
        summary: "Restart the gateway",
        description: `It stops in an orderly way and starts anew. Devices and browsers connect again. ${operators}`,
      },
    },
  );

/** The settings about reverse proxies, for the operators of the gateway. */
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
        detail: { summary: "Get the settings about reverse proxies", description: operators },
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
          summary: "Change the settings about reverse proxies",
          description: `They take effect when the gateway starts again. ${fixed} ${operators}`,
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
        response: { 200: proxyTestAnswer },
        detail: {
          summary: "Show what the gateway sees of this request",
          description: `With the settings of the request in place of those that are stored. ${fixed} ${operators}`,
        },
      },
    );

export const proxiesRoutes = (deps: ProxyRouteDeps) => [settingsRoutes(deps), restartRoutes(deps)];
