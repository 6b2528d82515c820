import type { OpcUaConnection } from "../../platform/opcua/opcua-connection.ts";
import type { OpcUaConnectionRecord, opcuaConnectionResource } from "./opcua.resource.ts";
import type { NewUnit, OpcUaItem, OpcUaUnit, UnitChange } from "./opcua.types.ts";

/** OPC UA types for the common base of field protocols. */
export interface OpcUaKind {
  readonly connection: OpcUaConnectionRecord;
  readonly unit: OpcUaUnit;
  readonly entry: OpcUaItem;
  readonly line: OpcUaConnection;
  readonly create: typeof opcuaConnectionResource.$create;
  readonly update: typeof opcuaConnectionResource.$update;
  readonly createUnit: NewUnit;
  readonly updateUnit: UnitChange;
}
