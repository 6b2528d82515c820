import { Elysia } from "elysia";
import { inEnglish, unauthenticated } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { InventoryKeeper } from "../../platform/files/inventory-keeper.ts";
import { isLocalAccess } from "../../platform/network/local-access.ts";
import { fileResponse } from "../api/documented-responses.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { UnknownTelemetry } from "../telemetry/unknown-telemetry.service.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { CheckRun, DataCheck } from "./data-check.ts";
import { checkBody } from "./diagnostics.schemas.ts";
import { type BundleSources, collectBundle, packFiles } from "./support-bundle.ts";

const BUNDLE = "support-bundle";
const documentedBundle = { 200: fileResponse("A tar archive, compressed with gzip.", "application/gzip") };

function toCheck({ check, inventory, unknown }: Pick<CheckRouteDeps, "check" | "inventory" | "unknown">) {
  const { checkedAt, losses } = inventory;
  const summary = {
    damage: [...check.damage],
    losses: losses.map(({ at, code, params }) => ({
      foundAt: iso(at),
      code,
      params,
      message: inEnglish({ code, params }),
    })),
    unknownDevices: unknown.count,
    ...(checkedAt !== undefined && { lastCompletedAt: iso(checkedAt) }),
  };
  return check.run === undefined ? summary : { ...summary, ...toRun(check.run) };
}

function toRun({ startedAt, finishedAt, failure, databases }: CheckRun) {
  return {
    startedAt: iso(startedAt),
    ...(finishedAt !== undefined && { finishedAt: iso(finishedAt) }),
    ...(failure !== undefined && { failure }),
    ...(databases && {
      databases: databases.map((report) => ({ ...report, problems: [...report.problems] })),
    }),
  };
}

interface CheckRouteDeps {
  readonly tenants: Pick<TenantsService, "find">;
  readonly check: DataCheck;
  readonly inventory: InventoryKeeper;
  readonly unknown: UnknownTelemetry;
  readonly auth: AuthPlugin;
}

interface BundleRouteDeps {
  readonly tenants: Pick<TenantsService, "find">;
  readonly bundle: BundleSources;
  readonly dataPath: string;
  readonly auth: AuthPlugin;
}

async function bundleResponse(sources: BundleSources): Promise<Response> {
  const name = `lineside-${BUNDLE}-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.tar.gz`;
  const body = await packFiles(await collectBundle(sources));
  return new Response(body, {
    headers: { "content-type": "application/gzip", "content-disposition": `attachment; filename="${name}"` },
  });
}

/** Creates the routes for the check of the data files and its findings. */
export const checkRoutes = (deps: CheckRouteDeps) => {
  const { tenants, check, inventory, unknown, auth } = deps;
  return new Elysia({ prefix: "/api/gateway", tags: ["gateway"] })
    .use(auth)
    .get(
      "/check",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return toCheck(deps);
      },
      {
        auth: "gateway:manage",
        response: { 200: checkBody },
        detail: {
          operationId: "getDataCheck",
          summary: "Get known damage of files and the newest check",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .post(
      "/check",
      ({ principal, set }) => {
        ensureOperator(tenants, principal);
        set.status = 202;
        check.begin();
        return toCheck(deps);
      },
      {
        auth: "gateway:manage",
        audit: { action: "gateway.check", target: "gateway", id: () => "gateway" },
        response: { 202: checkBody },
        detail: {
          operationId: "startDataCheck",
          summary: "Check all files",
          description:
            "Reads every database in a process of its own. A check that runs already is not begun again.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .post(
      "/losses/acknowledge",
      async ({ principal }) => {
        ensureOperator(tenants, principal);
        await inventory.acknowledge();
        return toCheck(deps);
      },
      {
        auth: "gateway:manage",
        audit: { action: "gateway.losses", target: "gateway", id: () => "gateway" },
        response: { 200: checkBody },
        detail: {
          operationId: "acknowledgeLosses",
          summary: "Acknowledge all data losses",
          description: "Ends the warning about the losses. Existing damage stays in `damage`.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .delete(
      "/unknown-telemetry",
      async ({ principal }) => {
        ensureOperator(tenants, principal);
        await unknown.delete();
        return toCheck(deps);
      },
      {
        auth: "gateway:manage",
        audit: { action: "gateway.unknown-telemetry", target: "gateway", id: () => "gateway" },
        response: { 200: checkBody },
        detail: {
          operationId: "deleteUnknownTelemetry",
          summary: "Delete telemetry of unknown devices",
          description:
            "Deletes the telemetry of devices that are missing from the device table, for example after an older lineside.db was restored. This cannot be undone.",
          errors: OPERATORS_ONLY,
        },
      },
    );
};

/** Creates the route for the support bundle of a gateway. */
export const bundleRoutes = ({ tenants, bundle, dataPath, auth }: BundleRouteDeps) =>
  new Elysia({ prefix: "/api/gateway", tags: ["gateway"] })
    .use(auth)
    .get(
      `/${BUNDLE}`,
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return bundleResponse(bundle);
      },
      {
        auth: "gateway:manage",
        detail: {
          operationId: "downloadSupportBundle",
          summary: "Download a support bundle",
          responses: documentedBundle,
          description:
            "Version, machine, settings without secrets, problems, metrics, log, slow operations and the state of the files.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .get(
      `/${BUNDLE}/local`,
      ({ request }) => {
        const [, token = ""] = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
        if (!isLocalAccess(dataPath, token)) throw unauthenticated("support.not_local");
        return bundleResponse(bundle);
      },
      {
        detail: {
          operationId: "downloadLocalSupportBundle",
          summary: "Download a support bundle (same machine)",
          responses: documentedBundle,
          description:
            "The bearer token is the text that the command has just written into the data directory.",
          errors: { 401: "The bearer token is missing or wrong." },
        },
      },
    );
