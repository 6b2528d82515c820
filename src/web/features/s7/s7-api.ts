import type {
  connectionBody,
  createConnectionBody,
  createUnitBody,
  readResponseBody,
  tagMapResponseBody,
  templateBody,
  unitBody,
  updateConnectionBody,
  updateUnitBody,
} from "../../../modules/s7/s7.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { post } from "../../platform/api-client.ts";
import { fieldApi } from "../field/field-api.ts";

export type S7Connection = Wire<typeof connectionBody>;
type S7ConnectionInput = Wire<typeof createConnectionBody>;
export type S7Unit = Wire<typeof unitBody>;
export type S7Tag = S7Unit["tags"][number];

export interface S7Kind {
  readonly connection: S7Connection;
  readonly unit: S7Unit;
  readonly create: S7ConnectionInput;
  readonly update: Wire<typeof updateConnectionBody>;
  readonly createUnit: Wire<typeof createUnitBody>;
  readonly updateUnit: Wire<typeof updateUnitBody>;
}

const api = fieldApi<S7Kind>("/api/s7");

export const s7Api = {
  ...api,
  read: (id: string, address: string) => api.read<Wire<typeof readResponseBody>>(id, { address }),
  templates: () => api.templates<Wire<typeof templateBody>>(),
  readMap: (csv: string) => post<Wire<typeof tagMapResponseBody>>("/api/s7/tag-maps", { csv }),
};
