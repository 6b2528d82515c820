import type { DeviceDetail, DeviceProfile, DeviceRow, Rejection } from "../../lib/api-types.ts";
import { call, get, post, queryOf } from "../../platform/api-client.ts";

const device = (id: string): string => `/api/devices/${encodeURIComponent(id)}`;

export interface DeviceListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly search?: string;
  readonly deviceType?: string;
  readonly active?: boolean | undefined;
  readonly tag?: string;
  readonly parentDeviceId?: string;
  readonly role?: "DEVICE" | "GATEWAY" | "";
  readonly sort?: string;
}

export interface DeviceEdit {
  readonly name?: string;
  readonly deviceType?: string;
  readonly label?: string;
  readonly role?: "DEVICE" | "GATEWAY";
  readonly tags?: readonly string[];
  readonly profileId?: string;
  /** Null detaches. */
  readonly parentDeviceId?: string | null;
  /** Null: its name. */
  readonly childName?: string | null;
  /** Null: none. */
  readonly assetId?: string | null;
  /** Null: as the profile says. */
  readonly inactivityTimeoutMs?: number | null;
  /** Null: none. */
  readonly targetDashboardId?: string | null;
  /** The same for all devices of its type, and for those to come. */
  readonly applyToAllOfType?: true;
}

export const devicesApi = {
  async list(query: DeviceListQuery): Promise<{ rows: DeviceRow[]; total: number }> {
    const answer = await call<DeviceRow[]>("GET", `/api/devices?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  types: () => get<{ deviceType: string; count: number }[]>("/api/devices/types?limit=10000"),
  assets: () => get<{ assetId: string; count: number }[]>("/api/devices/assets?limit=10000"),
  profiles: () => get<DeviceProfile[]>("/api/device-profiles?limit=10000"),
  get: (id: string) => get<DeviceDetail>(device(id)),
  create: (body: DeviceEdit) => post<DeviceDetail>("/api/devices", body),
  update: async (id: string, body: DeviceEdit) => (await call<DeviceDetail>("PATCH", device(id), body)).body,
  delete: (id: string) => call<unknown>("DELETE", device(id)),
  rejections: (id: string) => get<Rejection[]>(`${device(id)}/rejections`),
};
