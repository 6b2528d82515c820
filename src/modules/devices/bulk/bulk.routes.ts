import { Elysia, t } from "elysia";
import { invalid, unsupported } from "../../../lib/core/domain-error.ts";
import { fileOfForm } from "../../../lib/network/form-file.ts";
import { readBytes } from "../../../lib/network/request-bytes.ts";
import { type BodySpace, REQUEST_BYTES_MAX } from "../../../platform/load/body-space.ts";
import type { ResponseSpace } from "../../../platform/load/response-space.ts";
import { fileResponse } from "../../api/documented-responses.ts";
import { EXPORTS_LIMIT, exportResponse } from "../../api/responses.ts";
import type { AuditContext } from "../../audit/audit.types.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import { isAllowed } from "../../identity/permissions.ts";
import type { Principal } from "../../users/users.types.ts";
import { importResult, validationBody } from "./bulk.schemas.ts";
import type { BulkService } from "./bulk.service.ts";
import type { BulkRow } from "./bulk.types.ts";
import { parseCsv } from "./bulk-csv.ts";
import { parseRows } from "./bulk-json.ts";

/** Reads CSV, as the body or as a file of a form, or JSON. */
async function readRows(bodySpace: BodySpace, request: Request, principal: Principal): Promise<BulkRow[]> {
  bodySpace.take(request, principal);
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const bytes = await readBytes(request, REQUEST_BYTES_MAX);
  if (type === "application/json") return parseRows(bytes);
  if (type === "text/csv") return parseCsv(bytes);
  if (type !== "multipart/form-data") throw unsupported("bulk.type_unknown");
  const file = fileOfForm(bytes, request.headers.get("content-type"));
  if (file === undefined) throw invalid("bulk.file_missing");
  return parseCsv(file);
}

const csvHeaders = (name: string) => ({
  "content-type": "text/csv; charset=utf-8",
  "content-disposition": `attachment; filename="${name}"`,
});

const FORMS =
  "CSV (text/csv, or a file of a form; commas, semicolons or tabs) or JSON `{rows: […]}`: columns as in the create request plus `token`, `attributes.shared.<key>` and `attributes.server.<key>`; at most 100,000 rows.";
const FORMS_ERRORS = { 400: "The file cannot be read." };
const requestBody = {
  required: true,
  content: {
    "text/csv": { schema: { type: "string" as const } },
    "application/json": {
      schema: {
        type: "object" as const,
        properties: { rows: { type: "array" as const, items: { type: "object" as const } } },
      },
    },
    "multipart/form-data": {
      schema: {
        type: "object" as const,
        properties: { file: { type: "string" as const, format: "binary" } },
      },
    },
  },
};
const ofTenant = ({ principal }: AuditContext) => principal.tenantId;
const howMany = ({ response }: AuditContext) => {
  const { created, failed } = response as { created?: number; failed?: number }; // the response of the route below
  return { created, failed };
};

/** Creates the routes that import and export lists of devices. */
export const bulkRoutes = (deps: {
  bulk: BulkService;
  responses: ResponseSpace;
  bodySpace: BodySpace;
  auth: AuthPlugin;
}) => {
  const { bulk, responses, bodySpace } = deps;
  return new Elysia({ prefix: "/api/devices/bulk", tags: ["devices"] })
    .use(deps.auth)
    .post(
      "/validate",
      async ({ principal, request, set }) => {
        const rows = await readRows(bodySpace, request, principal);
        set.status = 201;
        return bulk.validate(principal, rows);
      },
      {
        auth: "devices:write",
        audit: { none: "nothing is changed" },
        parse: "none",
        response: {
          201: validationBody,
        },
        detail: {
          operationId: "validateDevices",
          summary: "Validate a list of devices",
          description: `Writes nothing; rows count from 1. ${FORMS}`,
          errors: FORMS_ERRORS,
          requestBody,
          example: { rows: [{ name: "press 1", deviceType: "press" }] },
        },
      },
    )
    .post(
      "/import",
      async ({ principal, request, query, set }) => {
        const result = await bulk.import(
          principal,
          () => readRows(bodySpace, request, principal),
          query.partial === true,
        );
        set.status = 201;
        return result;
      },
      {
        auth: "devices:write",
        audit: {
          action: "device.import",
          target: "tenant",
          id: ofTenant,
          details: howMany,
        },
        parse: "none",
        query: t.Object({
          partial: t.Optional(t.BooleanString({ description: "imports the valid rows only" })),
        }),
        response: {
          201: importResult,
        },
        detail: {
          operationId: "importDevices",
          summary: "Create many devices",
          description: `All or nothing unless \`partial=true\`. ${FORMS}`,
          errors: {
            400: "The file cannot be read, or a row is invalid; the message names the first.",
            403: "The plan does not allow this many devices.",
          },
          requestBody,
          example: { rows: [{ name: "press 1", deviceType: "press" }] },
        },
      },
    )
    .get(
      "/template.csv",
      () => new Response(bulk.template(), { headers: csvHeaders("devices-template.csv") }),
      {
        auth: "devices:read",
        detail: {
          operationId: "getDevicesTemplate",
          summary: "Download a CSV template for importing devices",
          responses: { 200: fileResponse("The header and an example row.", "text/csv") },
        },
      },
    )
    .get(
      "/export.csv",
      ({ principal, request }) =>
        exportResponse(responses, request, {
          create: () => bulk.export(principal, isAllowed(principal, "devices:write")),
          headers: csvHeaders("devices.csv"),
        }),
      {
        auth: "devices:read",
        detail: {
          operationId: "exportDevices",
          summary: "Export devices as CSV",
          responses: { 200: fileResponse("One row per device but the gateway's own one.", "text/csv") },
          description:
            "The file can be imported again, and contains access tokens if the caller may change devices.",
          errors: EXPORTS_LIMIT,
        },
      },
    );
};
