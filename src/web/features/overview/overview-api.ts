import { GATEWAY_DEVICE_TYPE } from "../../../lib/devices/gateway-device.ts";
import type { overviewBody, pinsBody } from "../../../modules/overview/overview.schemas.ts";
import type { DeviceRow, Series } from "../../lib/api-types.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, post, put } from "../../platform/api-client.ts";

export type Overview = Wire<typeof overviewBody>;
export type Pin = Overview["pins"][number];

interface SeriesQuery {
  readonly deviceIds: readonly string[];
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly maxDataPoints: number;
}

export const overviewApi = {
  get: () => get<Overview>("/api/overview"),
  setPins: (pins: readonly Pin[]) => put<Wire<typeof pinsBody>>("/api/overview/pins", { pins }),
  /** Returns the device that represents the gateway; null if there is none for this site. */
  async gateway(): Promise<DeviceRow | null> {
    const query = { deviceType: GATEWAY_DEVICE_TYPE, sort: "createdAt", limit: 1 };
    return (await getPage<DeviceRow>("/api/devices", query)).rows[0] ?? null;
  },
  series: async (query: SeriesQuery) =>
    (await post<{ data: { deviceId: string; series: Series[] }[] }>("/api/v1/telemetry/query", query)).data,
  keys: async (deviceId: string) =>
    (await get<{ key: string }[]>(`/api/devices/${encodeURIComponent(deviceId)}/keys?limit=10000`)).map(
      ({ key }) => key,
    ),
};
