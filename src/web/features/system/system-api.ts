import type { DeviceRow } from "../../lib/api-types.ts";
import { get, getPage } from "../../platform/api-client.ts";

/** The device type that the gateway gives to its own device. */
const GATEWAY_DEVICE_TYPE = "lineside-gateway";

export const systemApi = {
  health: () => get<{ version: string; commit: string }>("/healthz"),
  /** The gateway's own device; null where there is none. */
  async device(): Promise<DeviceRow | null> {
    const query = { deviceType: GATEWAY_DEVICE_TYPE, sort: "createdAt", limit: 1 };
    return (await getPage<DeviceRow>("/api/devices", query)).rows[0] ?? null;
  },
};
