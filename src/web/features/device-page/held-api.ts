import type { heldBody } from "../../../modules/ingest/held.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, remove } from "../../platform/api-client.ts";

const pathOf = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/held-readings`;

/** Requests about messages that wait for the gateway's clock. */
export const heldApi = {
  get: (deviceId: string) => get<Wire<typeof heldBody>>(pathOf(deviceId)),
  store: (deviceId: string) => post<unknown>(`${pathOf(deviceId)}/store`, {}),
  delete: (deviceId: string) => remove(pathOf(deviceId)),
};
