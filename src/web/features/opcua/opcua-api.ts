import type {
  browseBody,
  browseResponseBody,
  certificateBody,
  connectionBody,
  createConnectionBody,
  createUnitBody,
  endpointBody,
  endpointsBody,
  itemMapResponseBody,
  unitBody,
  updateConnectionBody,
  updateUnitBody,
  variableBody,
} from "../../../modules/opcua/opcua.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post } from "../../platform/api-client.ts";
import { fieldApi } from "../field/field-api.ts";

export type OpcUaConnection = Wire<typeof connectionBody>;
type OpcUaConnectionInput = Wire<typeof createConnectionBody>;
export type OpcUaUnit = Wire<typeof unitBody>;
export type OpcUaItem = OpcUaUnit["items"][number];
export type OpcUaEndpoint = Wire<typeof endpointBody>;
export type OpcUaNodes = Wire<typeof browseResponseBody>;
export type OpcUaVariable = Wire<typeof variableBody>;

export interface OpcUaKind {
  readonly connection: OpcUaConnection;
  readonly unit: OpcUaUnit;
  readonly create: OpcUaConnectionInput;
  readonly update: Wire<typeof updateConnectionBody>;
  readonly createUnit: Wire<typeof createUnitBody>;
  readonly updateUnit: Wire<typeof updateUnitBody>;
}

const connection = (id: string) => `/api/opcua/connections/${encodeURIComponent(id)}`;

export const opcuaApi = {
  ...fieldApi<OpcUaKind>("/api/opcua"),
  endpoints: (body: Wire<typeof endpointsBody>) => post<OpcUaEndpoint[]>("/api/opcua/endpoints", body),
  certificate: () => get<Wire<typeof certificateBody>>("/api/opcua/certificate"),
  renewCertificate: () => post("/api/opcua/certificate/renew", {}),
  /** Lists the nodes below a node, by default below the folder `Objects`, or finds nodes by name. */
  browse: (id: string, body: Wire<typeof browseBody>) => post<OpcUaNodes>(`${connection(id)}/browse`, body),
  describe: (id: string, nodeIds: readonly string[]) =>
    post<OpcUaVariable[]>(`${connection(id)}/describe`, { nodeIds }),
  readMap: (csv: string) => post<Wire<typeof itemMapResponseBody>>("/api/opcua/item-maps", { csv }),
};
