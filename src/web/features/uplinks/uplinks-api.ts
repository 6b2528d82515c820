import type { uplinkBody } from "../../../modules/uplinks/uplinks.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";

export type Uplink = Wire<typeof uplinkBody>;
export type Target = Readonly<Record<string, unknown>>;
export type UplinkFields = Partial<
  Pick<Uplink, "name" | "enabled" | "target" | "site" | "selection" | "content" | "steps" | "tags" | "order">
> &
  Partial<Pick<Uplink, "bytesPerSecond" | "window">> & { readonly start?: "NOW" | "BEGINNING" };

const BASE = "/api/uplinks";
const pathOf = (uplinkId: string) => `${BASE}/${encodeURIComponent(uplinkId)}`;

export const uplinksApi = {
  list: (search: string) => getPage<Uplink>(BASE, { search }),
  get: (uplinkId: string) => get<Uplink>(pathOf(uplinkId)),
  create: (fields: UplinkFields) => post<Uplink>(BASE, fields),
  update: (uplinkId: string, fields: UplinkFields) => patch<Uplink>(pathOf(uplinkId), fields),
  delete: (uplinkId: string) => remove(pathOf(uplinkId)),
  test: (target: Target, uplinkId: string | undefined) =>
    post(`${BASE}/test`, { target, ...(uplinkId !== undefined && { uplinkId }) }),
  resend: (uplinkId: string, range: { readonly from: number; readonly to: number }) =>
    post<Uplink>(`${pathOf(uplinkId)}/resend`, range),
  skip: (uplinkId: string) => post<Uplink>(`${pathOf(uplinkId)}/skip`),
};
