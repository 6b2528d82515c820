import { Elysia } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { updateBody, uploadQuery } from "./updates.schemas.ts";
import type { UpdatesService } from "./updates.service.ts";

const PREFIX = "/api/gateway/update";

const toText = ({ code, params }: Text) => ({ code, params, message: inEnglish({ code, params }) });

function toBody(updates: UpdatesService) {
  const { version, target, problem, upload, isInstalling, isOnProbation, failure, result } = updates.status();
  return {
    version,
    ...(target !== undefined && { target }),
    ...(problem && { problem: toText(problem) }),
    ...(upload && { upload: { ...upload } }),
    isInstalling,
    isOnProbation,
    ...(failure && { failure: toText(failure) }),
    ...(result && {
      result: {
        outcome: result.outcome,
        from: result.from,
        to: result.to,
        at: iso(result.at),
        ...(result.reason && { reason: toText(result.reason) }),
      },
    }),
  };
}

const partBody = {
  required: true,
  description: "Bytes of the update file, 1 MiB at most. The first part holds at least the first 65 KiB.",
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } as const } },
};

interface UpdateRouteDeps {
  readonly updates: UpdatesService;
  readonly auth: AuthPlugin;
}

/** Creates the routes for the upload of an update file. */
const uploadRoutes = ({ updates, auth }: UpdateRouteDeps) =>
  new Elysia({ prefix: PREFIX, tags: ["gateway"] })
    .use(auth)
    .put(
      "/upload",
      async ({ principal, query, request }) => {
        updates.ensureOperator(principal);
        await updates.upload(query.offset, await request.bytes());
        return toBody(updates);
      },
      {
        auth: "gateway:manage",
        audit: { none: "installs nothing" },
        parse: "none",
        query: uploadQuery,
        response: { 200: updateBody },
        detail: {
          operationId: "uploadUpdate",
          summary: "Upload a part of an update file",
          description:
            "An upload that was interrupted continues at `upload.bytes`. The signature is checked with the first part.",
          errors: {
            ...OPERATORS_ONLY,
            400: "The file cannot be installed.",
            409: "`offset` is not the number of bytes that have arrived, the version is not newer, an update is being installed, or this gateway cannot be updated; the message says which.",
            413: "The part is larger than 1 MiB, or the update file is too large.",
          },
          requestBody: partBody,
        },
      },
    )
    .delete(
      "/upload",
      ({ principal }) => {
        updates.ensureOperator(principal);
        updates.discard();
        return toBody(updates);
      },
      {
        auth: "gateway:manage",
        audit: { none: "installs nothing" },
        response: { 200: updateBody },
        detail: {
          operationId: "discardUpdate",
          summary: "Discard the uploaded update",
          description: "Also discards an update that waits for a restart.",
          errors: OPERATORS_ONLY,
        },
      },
    );

/** Creates the routes for updates of the gateway from an update file. */
const installRoutes = ({ updates, auth }: UpdateRouteDeps) =>
  new Elysia({ prefix: PREFIX, tags: ["gateway"] })
    .use(auth)
    .get(
      "",
      ({ principal }) => {
        updates.ensureOperator(principal);
        return toBody(updates);
      },
      {
        auth: "gateway:manage",
        response: { 200: updateBody },
        detail: {
          operationId: "getUpdate",
          summary: "Get version, uploaded update and last result",
          description:
            "`problem` says why no update can be installed. `failure` says why the newest one was given up before a restart.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .post(
      "/install",
      ({ principal, set }) => {
        updates.ensureOperator(principal);
        updates.install(principal);
        set.status = 202;
        return toBody(updates);
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "gateway.update",
          target: "gateway",
          id: () => "gateway",
          details: ({ response }: AuditContext) => {
            const { upload } = response as ReturnType<typeof toBody>; // of this route
            return { version: upload?.version };
          },
        },
        response: { 202: updateBody },
        detail: {
          operationId: "installUpdate",
          summary: "Install the uploaded update",
          description:
            "The gateway makes a backup, restarts with the new version, and goes back to the current version if the new one is not ready within 60 s.",
          errors: { ...OPERATORS_ONLY, 409: "No file is uploaded." },
        },
      },
    );

export const updatesRoutes = (deps: UpdateRouteDeps) => [installRoutes(deps), uploadRoutes(deps)];
