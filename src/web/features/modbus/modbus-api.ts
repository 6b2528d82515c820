import type {
  connectionBody,
  createConnectionBody,
  createUnitBody,
  readAnswerBody,
  readBody,
  registerMapAnswerBody,
  templateBody,
  unitBody,
  updateConnectionBody,
  updateUnitBody,
} from "../../../modules/modbus/modbus.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";

export type ModbusConnection = Wire<typeof connectionBody>;
export type ModbusConnectionInput = Wire<typeof createConnectionBody>;
export type ModbusUnit = Wire<typeof unitBody>;
export type ModbusRegister = ModbusUnit["registers"][number];
export type RegisterMap = Wire<typeof registerMapAnswerBody>;
export type ModbusTemplate = Wire<typeof templateBody>;
export type RegisterRange = Wire<typeof readBody>;

const BASE = "/api/modbus/connections";
const pathOf = (id: string) => `${BASE}/${encodeURIComponent(id)}`;
const unitsPath = (id: string) => `${pathOf(id)}/units`;
const unitPath = (id: string, unit: string) => `${unitsPath(id)}/${encodeURIComponent(unit)}`;
/** More units than a connection can have. */
const UNITS_LISTED = 1_000;

export const modbusApi = {
  list: (search: string) => getPage<ModbusConnection>(BASE, { search }),
  get: (id: string) => get<ModbusConnection>(pathOf(id)),
  create: (body: ModbusConnectionInput) => post<ModbusConnection>(BASE, body),
  update: (id: string, body: Wire<typeof updateConnectionBody>) => patch<ModbusConnection>(pathOf(id), body),
  delete: (id: string) => remove(pathOf(id)),
  units: async (id: string) => (await getPage<ModbusUnit>(unitsPath(id), { limit: UNITS_LISTED })).rows,
  createUnit: (id: string, body: Wire<typeof createUnitBody>) => post<ModbusUnit>(unitsPath(id), body),
  updateUnit: (id: string, unit: string, body: Wire<typeof updateUnitBody>) =>
    patch<ModbusUnit>(unitPath(id, unit), body),
  deleteUnit: (id: string, unit: string) => remove(unitPath(id, unit)),
  read: (id: string, range: RegisterRange) => post<Wire<typeof readAnswerBody>>(`${pathOf(id)}/read`, range),
  templates: async () => (await getPage<ModbusTemplate>("/api/modbus/templates", { limit: 1_000 })).rows,
  readMap: (csv: string) => post<RegisterMap>("/api/modbus/register-maps", { csv }),
};
