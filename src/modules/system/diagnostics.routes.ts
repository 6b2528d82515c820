import { Elysia } from "elysia";
import { unauthenticated } from "../../lib/domain-error.ts";
import { isLocalAccess } from "../../platform/local-access.ts";
import { fileAnswer } from "../documented-answers.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { CheckRun, DataCheck } from "./data-check.ts";
import { checkBody } from "./diagnostics.schemas.ts";
import { type BundleSources, collectBundle, packFiles } from "./support-bundle.ts";

const operators = "403 unless owner of the gateway's own tenant, with access to all devices.";
const BUNDLE = "support-bundle";
const bundleAnswer = { 200: fileAnswer("A tar archive, compressed with gzip.", "application/gzip") };

const iso = (ms: number) => new Date(ms).toISOString();

function toCheck(damage: readonly string[], run: CheckRun | undefined) {
  if (run === undefined) return { damage: [...damage] };
  const { startedAt, finishedAt, failure, databases } = run;
  return {
    damage: [...damage],
    startedAt: iso(startedAt),
    ...(finishedAt !== undefined && { finishedAt: iso(finishedAt) }),
    ...(failure !== undefined && { failure }),
    ...(databases && {
      databases: databases.map((report) => ({ ...report, problems: [...report.problems] })),
    }),
  };
}

interface DiagnosticRouteDeps {
  readonly tenants: Pick<TenantsService, "find">;
  readonly check: DataCheck;
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

/** The check of the files, and what a person who helps needs to know about a gateway. */
export const diagnosticRoutes = ({ tenants, check, bundle, dataPath, auth }: DiagnosticRouteDeps) =>
  new Elysia({ prefix: "/api/gateway", tags: ["gateway"] })
    .use(auth)
    .get(
      "/check",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return toCheck(check.damage, check.run);
      },
      {
        auth: "gateway:manage",
        response: { 200: checkBody },
        detail: { summary: "Known damage of the files, and the newest check", description: operators },
      },
    )
    .post(
      "/check",
      ({ principal, set }) => {
        ensureOperator(tenants, principal);
        set.status = 202;
        return toCheck(check.damage, check.begin());
      },
      {
        auth: "gateway:manage",
        audit: { action: "gateway.check", target: "gateway", id: () => "gateway" },
        response: { 202: checkBody },
        detail: {
          summary: "Check all files",
          description: `Reads every database in a process of its own. A check that runs already is not begun again. ${operators}`,
        },
      },
    )
    .get(
      `/${BUNDLE}`,
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return bundleResponse(bundle);
      },
      {
        auth: "gateway:manage",
        detail: {
          summary: "Download a support bundle",
          responses: bundleAnswer,
          description: `Version, machine, settings without secrets, problems, metrics, log, slow operations and the state of the files. ${operators}`,
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
          summary: "Download a support bundle, for a command on the same machine",
          responses: bundleAnswer,
          description:
            "The bearer token is the text that the command has just written into the data directory. 401 without it.",
        },
      },
    );
