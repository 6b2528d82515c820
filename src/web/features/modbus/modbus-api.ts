import type {
  connectionBody,
  createConnectionBody,
  createUnitBody,
  readBody,
  readResponseBody,
  registerMapResponseBody,
  templateBody,
  unitBody,
  updateConnectionBody,
  updateUnitBody,
} from "../../../modules/modbus/modbus.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { post } from "../../platform/api-client.ts";
import { fieldApi } from "../field/field-api.ts";

export type ModbusConnection = Wire<typeof connectionBody>;
type ModbusConnectionInput = Wire<typeof createConnectionBody>;
export type ModbusUnit = Wire<typeof unitBody>;
export type ModbusRegister = ModbusUnit["registers"][number];
export type RegisterMap = Wire<typeof registerMapResponseBody>;
export type ModbusTemplate = Wire<typeof templateBody>;
export type RegisterRange = Wire<typeof readBody>;

export interface ModbusKind {
  readonly connection: ModbusConnection;
  readonly unit: ModbusUnit;
  readonly create: ModbusConnectionInput;
  readonly update: Wire<typeof updateConnectionBody>;
  readonly createUnit: Wire<typeof createUnitBody>;
  readonly updateUnit: Wire<typeof updateUnitBody>;
}

const api = fieldApi<ModbusKind>("/api/modbus");

export const modbusApi = {
  ...api,
  read: (id: string, range: RegisterRange) => api.read<Wire<typeof readResponseBody>>(id, range),
  templates: () => api.templates<ModbusTemplate>(),
  readMap: (csv: string) => post<RegisterMap>("/api/modbus/register-maps", { csv }),
};
