import { Elysia, type Static, t } from "elysia";
import { invalid } from "../../lib/core/domain-error.ts";
import { parseNames } from "../../lib/keys/name-list.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { RESPONSES_MIB_MAX, type ResponseSpace } from "../../platform/load/response-space.ts";
import { wholeList } from "../api/lists.ts";
import { asResponse, textResponse } from "../api/responses.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Principal } from "../users/users.types.ts";
import {
  keyRecords,
  keysBody,
  latestBody,
  latestSnapshot,
  queryBody,
  rangeQuery,
  seriesResponse,
} from "./telemetry.schemas.ts";
import type { TelemetryRequest, TelemetryService } from "./telemetry.service.ts";
import type { LatestSnapshot } from "./telemetry.types.ts";

const keyList = wholeList({ sort: ["key"], search: ["key"] });

const toRecords = (keys: readonly string[]) => keys.map((key) => ({ key }));
const toKeys = (text: string | undefined) => (text === undefined ? [] : parseNames(text));

/** Returns the keys to delete. An empty list is refused, because it could be mistaken for all keys. */
function toDeletedKeys(text: string | undefined): string[] {
  const keys = toKeys(text);
  if (text !== undefined && keys.length === 0) throw invalid("telemetry.keys_empty");
  return keys;
}
/** Returns an integer in decimal digits; NaN for anything else, which the service refuses. */
const toNumber = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN);

const toRequest = (deviceId: string, query: Static<typeof rangeQuery>): TelemetryRequest => ({
  ...query,
  deviceIds: [deviceId],
  keys: toKeys(query.keys),
  from: toNumber(query.from),
  to: toNumber(query.to),
  maxDataPoints: query.maxDataPoints === undefined ? undefined : toNumber(query.maxDataPoints),
});

interface TelemetryRoutesDeps {
  readonly telemetry: TelemetryService;
  readonly auth: AuthPlugin;
  readonly responses: ResponseSpace;
}

const UNREAD = { 503: "Unread responses leave no memory for the response." };

/** Writes text that comes in pieces. */
async function writeTexts(
  texts: AsyncIterable<string>,
  onPiece: (piece: Uint8Array) => void,
  [before, after]: readonly [string, string] = ["", ""],
): Promise<void> {
  const encoder = new TextEncoder();
  let text = before;
  for await (const part of texts) {
    if (text !== before) {
      onPiece(encoder.encode(text));
      text = "";
      await workShare.pause();
    }
    text += part;
  }
  onPiece(encoder.encode(text + after));
}

/** Returns a handler that responds with series. */
const seriesResponses =
  ({ telemetry, responses }: Pick<TelemetryRoutesDeps, "telemetry" | "responses">) =>
  async (principal: Principal, request: Request, query: TelemetryRequest) => {
    const response = await textResponse(responses, request, (onPiece) =>
      telemetry.queryText(principal, query, onPiece, request.signal),
    );
    return asResponse<Static<typeof seriesResponse>>(response);
  };

export const telemetryRoutes = (deps: TelemetryRoutesDeps) => {
  const { telemetry, responses } = deps;
  const seriesFor = seriesResponses(deps);
  const pageOfKeys = async (
    principal: Principal,
    deviceIds: readonly string[] | undefined,
    context: Parameters<typeof keyList.page>[0] & { request: Request },
  ) => keyList.page(context, toRecords(await telemetry.keys(principal, deviceIds, context.request.signal)));
  return new Elysia({ prefix: "/api", tags: ["telemetry"] })
    .use(deps.auth)
    .get(
      "/telemetry/keys",
      ({ principal, query, request, set }) => pageOfKeys(principal, undefined, { query, request, set }),
      {
        auth: "telemetry:read",
        query: t.Object(keyList.fields),
        response: { 200: keyRecords },
        detail: { operationId: "listTelemetryKeys", summary: "List telemetry keys of the tenant" },
      },
    )
    .get(
      "/devices/keys",
      ({ principal, query, request, set }) => pageOfKeys(principal, undefined, { query, request, set }),
      {
        auth: "telemetry:read",
        query: t.Object(keyList.fields),
        response: { 200: keyRecords },
        detail: {
          operationId: "listTelemetryKeysOfDevices",
          summary: "List the telemetry keys of all devices",
        },
      },
    )
    .get(
      "/devices/:deviceId/keys",
      ({ principal, params, query, request, set }) =>
        pageOfKeys(principal, [params.deviceId], { query, request, set }),
      {
        auth: "telemetry:read",
        query: t.Object(keyList.fields),
        response: { 200: keyRecords },
        detail: { operationId: "listDeviceTelemetryKeys", summary: "List telemetry keys of a device" },
      },
    )
    .get(
      "/devices/:deviceId/telemetry/latest",
      async ({ principal, params, request }) => {
        const texts = telemetry.latestText(principal, params.deviceId, request.signal);
        const response = await textResponse(responses, request, (onPiece) => writeTexts(texts, onPiece));
        return asResponse<LatestSnapshot>(response);
      },
      {
        auth: "telemetry:read",
        response: { 200: latestSnapshot },
        detail: {
          operationId: "getDeviceTelemetryLatest",
          summary: "Get the newest value of each key of a device",
        },
      },
    )
    .get(
      "/devices/:deviceId/telemetry/range",
      ({ principal, params, query, request }) =>
        seriesFor(principal, request, toRequest(params.deviceId, query)),
      {
        auth: "telemetry:read",
        query: rangeQuery,
        response: { 200: seriesResponse },
        detail: {
          operationId: "getDeviceTelemetryRange",
          summary: "Get telemetry of a device for a time range",
          description:
            "With an aggregate, the range is divided into at most maxDataPoints intervals of equal length (or calendar intervals); a point has the start of its interval, and empty intervals are left out. With `none`, data above the limit is downsampled so that peaks stay. Numeric aggregates skip other values and count them.",
          errors: {
            ...UNREAD,
            400: "The range is invalid, or the aggregate needs numbers and none of the keys has any.",
            413: `The response would be larger than ${RESPONSES_MIB_MAX.user} MiB.`,
          },
        },
      },
    )
    .delete(
      "/devices/:deviceId/telemetry",
      async ({ principal, params, query }) => {
        await telemetry.deleteRange(principal, params.deviceId, {
          keys: toDeletedKeys(query.keys),
          from: toNumber(query.from),
          to: toNumber(query.to),
        });
        return { success: true };
      },
      {
        auth: "telemetry:write",
        audit: { action: "telemetry.delete", target: "device", details: ({ query }: AuditContext) => query },
        query: t.Pick(rangeQuery, ["keys", "from", "to"]),
        response: { 200: successBody },
        detail: {
          operationId: "deleteDeviceTelemetry",
          summary: "Delete telemetry of a device for a time range",
          description: "Deletes all keys unless `keys` names some.",
          errors: { 400: "`keys` is empty." },
        },
      },
    )
    .post(
      "/v1/telemetry/latest",
      async ({ principal, body, request }) => {
        const texts = telemetry.latestTexts(principal, body, request.signal);
        const response = await textResponse(responses, request, (onPiece) =>
          writeTexts(texts, onPiece, ["[", "]"]),
        );
        return asResponse<LatestSnapshot[]>(response);
      },
      {
        auth: "telemetry:read",
        body: latestBody,
        response: { 200: t.Array(latestSnapshot) },
        detail: {
          operationId: "queryLatestTelemetry",
          summary: "Get the newest values of many devices",
          errors: {
            ...UNREAD,
            404: "A device does not exist.",
            413: `The response would be larger than ${RESPONSES_MIB_MAX.user} MiB.`,
          },
          example: { deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"], keys: ["temperature"] },
        },
      },
    )
    .post(
      "/v1/telemetry/keys",
      ({ principal, body, query, request, set }) =>
        pageOfKeys(principal, body.deviceIds, { query, request, set }),
      {
        auth: "telemetry:read",
        audit: { none: "changes nothing" },
        query: t.Object(keyList.fields),
        body: keysBody,
        response: { 200: keyRecords },
        detail: {
          operationId: "queryTelemetryKeys",
          summary: "List telemetry keys of many devices",
          errors: { 404: "A device does not exist." },
          example: { deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"] },
        },
      },
    )
    .post(
      "/v1/telemetry/query",
      async ({ principal, body, request }) => {
        const query = { ...body, keys: body.keys ?? [], interval: body.interval?.toString() };
        return seriesFor(principal, request, query);
      },
      {
        auth: "telemetry:read",
        body: queryBody,
        response: { 200: seriesResponse },
        detail: {
          operationId: "queryTelemetry",
          summary: "Get telemetry of many devices for a time range",
          description: "Works like the range of a single device.",
          errors: {
            ...UNREAD,
            404: "A device does not exist.",
            413: `The response would be larger than ${RESPONSES_MIB_MAX.user} MiB.`,
          },
          example: {
            deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"],
            keys: ["temperature"],
            from: 1_767_225_600_000,
            to: 1_767_312_000_000,
            aggregation: "avg",
            maxDataPoints: 500,
          },
        },
      },
    );
};
