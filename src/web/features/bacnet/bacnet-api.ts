import type {
  browseResponseBody,
  connectionBody,
  createConnectionBody,
  createUnitBody,
  foundDeviceBody,
  objectMapResponseBody,
  searchBody,
  unitBody,
  updateConnectionBody,
  updateUnitBody,
} from "../../../modules/bacnet/bacnet.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { post } from "../../platform/api-client.ts";
import { fieldApi } from "../field/field-api.ts";

export type BacnetConnection = Wire<typeof connectionBody>;
type BacnetConnectionInput = Wire<typeof createConnectionBody>;
export type BacnetUnit = Wire<typeof unitBody>;
export type BacnetObject = BacnetUnit["objects"][number];
export type FoundDevice = Wire<typeof foundDeviceBody>;
export type BrowsedPart = Wire<typeof browseResponseBody>;

export interface BacnetKind {
  readonly connection: BacnetConnection;
  readonly unit: BacnetUnit;
  readonly create: BacnetConnectionInput;
  readonly update: Wire<typeof updateConnectionBody>;
  readonly createUnit: Wire<typeof createUnitBody>;
  readonly updateUnit: Wire<typeof updateUnitBody>;
}

const api = fieldApi<BacnetKind>("/api/bacnet");

export const bacnetApi = {
  ...api,
  browse: (id: string, from: number) =>
    post<BrowsedPart>(`/api/bacnet/connections/${encodeURIComponent(id)}/browse`, { from }),
  search: (body: Wire<typeof searchBody>) => post<FoundDevice[]>("/api/bacnet/search", body),
  readMap: (csv: string) => post<Wire<typeof objectMapResponseBody>>("/api/bacnet/object-maps", { csv }),
};
