import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { newestFirst, pageQuery, searchQuery } from "../api/lists.schemas.ts";
import { sendPage, toPage } from "../api/lists.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { downlinkBody, downlinkRequestBody, downlinkResponse, downlinkState } from "./downlinks.schemas.ts";
import type { DownlinksService } from "./downlinks.service.ts";
import { type Downlink, devEuiOf } from "./downlinks.types.ts";

/** Max. wait for the network server's response; later results appear in the list and the events. */
const RESPONSE_WITHIN_MS = 3_000;

const shown = (downlink: Downlink) => ({
  downlinkId: downlink.downlinkId,
  status: downlink.state,
  error: downlink.error === null ? null : inEnglish(downlink.error),
  errorText: downlink.error,
  deviceId: downlink.deviceId,
  devEui: devEuiOf(downlink.deviceKey) ?? null,
  fPort: downlink.fPort,
  confirmed: downlink.confirmed,
  attempts: downlink.attempts,
  createdAt: iso(downlink.createdAt),
});

export const downlinksRoutes = (deps: {
  downlinks: DownlinksService;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { downlinks } = deps;
  return new Elysia({ prefix: "/api/integrations", tags: ["integrations"] })
    .use(deps.auth)
    .post(
      "/:integrationId/downlink",
      async ({ principal, params, body, set }) => {
        const downlink = await downlinks.create(principal, params.integrationId, body, RESPONSE_WITHIN_MS);
        set.status = 201;
        return { success: downlink.state !== "FAILED", ...shown(downlink) };
      },
      {
        auth: "integrations:write",
        audit: { action: "integration.downlink", target: "integration" },
        body: downlinkRequestBody,
        response: { 201: downlinkResponse },
        detail: {
          operationId: "sendDownlink",
          summary: "Send a downlink to a LoRaWAN device",
          description:
            "The downlink is stored before the request is answered, and is retried until the network server accepts it or `expiresInMs` has passed. `status` is SENT when the network server has accepted it, QUEUED if it did not answer within three seconds, and FAILED with `error` if it refused. Reports of the network server (txack, ack, downlink_…) make it TRANSMITTED, ACKNOWLEDGED or FAILED later.",
          errors: {
            400: "The request or `settings_json.downlink` is invalid or incomplete; the message names the field.",
            404: "The integration or the device does not exist.",
            409: "The integration is paused.",
            429: "100 downlinks wait for the device, or 10,000 or more than 8 MiB of downlinks wait for the integration.",
          },
          example: { devEui: "0102030405060708", fPort: 1, hex: "01ff", confirmed: true },
        },
      },
    )
    .get(
      "/:integrationId/downlinks",
      ({ principal, params, query, request }) => {
        const page = { ...toPage(query), search: query.search, state: query.status };
        const found = downlinks.list(principal, params.integrationId, page);
        const rows = mapRows(found, (downlink) => ({
          ...shown(downlink),
          payload: downlink.payload,
          isCommand: downlink.commandRpcId !== null,
          createdBy: downlink.createdBy,
          changedAt: iso(downlink.changedAt),
        }));
        return sendPage({ request, responses: deps.responses }, page, rows);
      },
      {
        auth: "integrations:read",
        query: t.Object({
          ...pageQuery,
          search: searchQuery(["the dev EUI"]),
          sort: newestFirst,
          status: t.Optional(downlinkState),
        }),
        response: { 200: t.Array(downlinkBody) },
        detail: {
          operationId: "listDownlinks",
          summary: "List downlinks of an integration, the newest first",
          description:
            "They are kept for 30 days. If those that no longer wait take up more than 8 MiB, the oldest are deleted.",
          errors: ALL_DEVICES_ONLY,
        },
      },
    );
};
