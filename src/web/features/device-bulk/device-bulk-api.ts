import type { Text } from "../../../lib/texts/text.ts";
import type { bulkUpdateBody } from "../../../modules/devices/bulk/bulk.schemas.ts";
import type { profileBody } from "../../../modules/profiles/profiles.schemas.ts";
import type { DeviceRow } from "../../lib/api-types.ts";
import type { JsonValue, Wire } from "../../lib/wire.ts";
import { get, post } from "../../platform/api-client.ts";

export interface BulkFailure extends Text {
  readonly deviceId: string;
  readonly error: string;
}

export interface BulkResponse {
  readonly succeeded: number;
  readonly failed: readonly BulkFailure[];
}

type Ids = readonly string[];
export type BulkChanges = Omit<Wire<typeof bulkUpdateBody>, "deviceIds">;

const send = (action: string, deviceIds: Ids, fields: object = {}) =>
  post<BulkResponse>(`/api/devices/bulk/${action}`, { deviceIds, ...fields });

export const deviceBulkApi = {
  update: (ids: Ids, changes: BulkChanges) => send("update", ids, changes),
  delete: (ids: Ids) => send("delete", ids),
  /** Deletes only devices that were neither changed nor active. */
  deleteUntouched: (ids: Ids) => send("delete", ids, { onlyUntouched: true }),
  command: (ids: Ids, command: { method: string; params: JsonValue }) => send("commands", ids, command),
  beginMaintenance: (ids: Ids, options: { until: string; reason: string }) =>
    send("maintenance", ids, options),
  endMaintenance: (ids: Ids) => send("maintenance-end", ids),
  profiles: () => get<Wire<typeof profileBody>[]>("/api/device-profiles?limit=10000"),
  gateways: () => get<DeviceRow[]>("/api/devices?role=GATEWAY&sort=name&limit=10000"),
  assets: () => get<{ assetId: string }[]>("/api/devices/assets?limit=10000"),
};
