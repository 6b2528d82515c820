import { GATEWAY_DEVICE_TYPE } from "../../../lib/devices/gateway-device.ts";
import type { clockBody } from "../../../modules/system/clock.schemas.ts";
import type { checkBody } from "../../../modules/system/diagnostics.schemas.ts";
import type { sharedDevicesBody } from "../../../modules/system/shared-devices.schemas.ts";
import type { DeviceRow } from "../../lib/api-types.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, load, post, put, remove } from "../../platform/api-client.ts";

export type DataCheck = Wire<typeof checkBody>;
export type SharedDevices = Wire<typeof sharedDevicesBody>;

export const systemApi = {
  health: () => get<{ version: string; commit: string }>("/healthz"),
  check: () => get<DataCheck>("/api/gateway/check"),
  clock: () => get<Wire<typeof clockBody>>("/api/gateway/clock"),
  confirmClock: () => post<Wire<typeof clockBody>>("/api/gateway/clock/confirm", {}),
  startCheck: () => post<DataCheck>("/api/gateway/check", {}),
  acknowledgeLosses: () => post<DataCheck>("/api/gateway/losses/acknowledge", {}),
  deleteUnknownTelemetry: () => remove<DataCheck>("/api/gateway/unknown-telemetry"),
  sharedDevices: () => get<SharedDevices>("/api/gateway/shared-device"),
  shareDevice: (tenantIds: readonly string[]) =>
    put<SharedDevices>("/api/gateway/shared-device", { tenantIds }),
  supportBundle: () => load("/api/gateway/support-bundle"),
  /** Returns the gateway's own device; null if it does not exist. */
  async device(): Promise<DeviceRow | null> {
    const query = { deviceType: GATEWAY_DEVICE_TYPE, sort: "createdAt", limit: 1 };
    return (await getPage<DeviceRow>("/api/devices", query)).rows[0] ?? null;
  },
};
