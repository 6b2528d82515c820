import { Elysia, t } from "elysia";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { wholeList } from "../api/lists.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import { literals } from "../api/wire.schemas.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import {
  type DeviceTrafficTotals,
  TRAFFIC_MEASURES,
  type TrafficMeasure,
} from "../ingest/device-traffic.types.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import { topTalkerBody } from "./top-talkers.schemas.ts";

const talkerList = wholeList({ sort: TRAFFIC_MEASURES, search: ["deviceName", "tenantName"] });

/** Creates the route that lists the devices with the most traffic. */
export const topTalkersRoutes = (deps: {
  traffic: { top(by: TrafficMeasure): DeviceTrafficTotals[] };
  tenants: { find(tenantId: TenantId): { readonly name: string; readonly isHost: boolean } | undefined };
  directory: { find(deviceId: DeviceId): { readonly name: string } | undefined };
  auth: AuthPlugin;
}) => {
  const { traffic, tenants, directory } = deps;
  const toWire = (totals: DeviceTrafficTotals) => {
    const deviceName = directory.find(totals.deviceId)?.name;
    const tenantName = tenants.find(totals.tenantId)?.name;
    return {
      ...totals,
      ...(deviceName !== undefined && { deviceName }),
      ...(tenantName !== undefined && { tenantName }),
    };
  };
  return new Elysia({ prefix: "/api/gateway/top-talkers", tags: ["gateway"] }).use(deps.auth).get(
    "",
    (context) => {
      ensureOperator(tenants, context.principal);
      return talkerList.page(context, traffic.top(context.query.by ?? "messages").map(toWire));
    },
    {
      auth: "gateway:manage",
      query: t.Object({
        by: t.Optional(
          literals(TRAFFIC_MEASURES, {
            description: "The devices with the most of these, the most first; `messages` unless given.",
          }),
        ),
        ...talkerList.fields,
      }),
      response: { 200: t.Array(topTalkerBody) },
      detail: {
        operationId: "listTopTalkers",
        summary: "List the devices that send the most",
        description:
          "Sums of each device within the last hour, since the start at most. They are exact while no more than 500 devices send within five minutes. With more, a sum lacks those five minutes in which the device was not among the 500 with the most messages, values, bytes or rejections.",
        errors: OPERATORS_ONLY,
      },
    },
  );
};
