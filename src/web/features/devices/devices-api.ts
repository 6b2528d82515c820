import type { DeviceState } from "../../../lib/devices/device-state.ts";
import type { updateDeviceBody } from "../../../modules/devices/devices.schemas.ts";
import type { profileBody } from "../../../modules/profiles/profiles.schemas.ts";
import type {
  claimDeviceBody,
  claimedDevice,
  claimingBody,
} from "../../../modules/provisioning/claiming.schemas.ts";
import type { DeviceDetail, DeviceRow } from "../../lib/api-types.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, queryOf, remove } from "../../platform/api-client.ts";

export type DeviceEdit = Wire<typeof updateDeviceBody>;

const device = (id: string): string => `/api/devices/${encodeURIComponent(id)}`;

export interface DeviceListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly search?: string;
  readonly deviceType?: string;
  readonly state?: DeviceState | undefined;
  readonly tag?: string;
  /** Comma-separated keys of server attributes; matches devices with at least one of them. */
  readonly attribute?: string;
  readonly parentDeviceId?: string;
  readonly role?: "DEVICE" | "GATEWAY" | "";
  readonly sort?: string;
}

interface TypeCount {
  readonly deviceType: string;
  readonly count: number;
}

export type ClaimForm = Wire<typeof claimDeviceBody>;

export const devicesApi = {
  list: (query: DeviceListQuery) => getPage<DeviceRow>(`/api/devices`, query),
  types: () => get<TypeCount[]>("/api/devices/types?limit=10000"),
  states: () => get<{ state: DeviceState; count: number }[]>("/api/devices/states"),
  tags: () => get<{ tag: string; count: number }[]>("/api/devices/tags?limit=10000"),
  typesOfProfile: (profileId: string) =>
    get<TypeCount[]>(`/api/devices/types?${queryOf({ profileId, limit: 10_000 })}`),
  assets: () => get<{ assetId: string; count: number }[]>("/api/devices/assets?limit=10000"),
  profiles: () => get<Wire<typeof profileBody>[]>("/api/device-profiles?limit=10000"),
  gateways: async () =>
    (await getPage<DeviceRow>("/api/devices", { role: "GATEWAY", sort: "name", limit: 10_000 })).rows,
  /** Returns the keys of all devices of the site. */
  telemetryKeys: async () =>
    (await get<{ key: string }[]>("/api/telemetry/keys?limit=10000")).map(({ key }) => key),
  get: (id: string) => get<DeviceDetail>(device(id)),
  create: (body: DeviceEdit) => post<DeviceDetail>("/api/devices", body),
  update: (id: string, body: DeviceEdit) => patch<DeviceDetail>(device(id), body),
  delete: (id: string) => remove(device(id)),
  claim: (body: ClaimForm) => post<Wire<typeof claimedDevice>>("/api/devices/claim", body),
  claiming: (id: string) => get<Wire<typeof claimingBody>>(`${device(id)}/claiming`),
  release: (id: string) => remove(`${device(id)}/claiming`),
};
