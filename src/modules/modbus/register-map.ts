import { REGISTERS_MAX } from "../../lib/modbus/modbus-lists.ts";
import { entryMapReader, isYes } from "../field/entry-map.ts";
import { modbusErrors } from "./modbus.errors.ts";
import { registerBody } from "./modbus.schemas.ts";
import type { ModbusRegister } from "./modbus.types.ts";
import { registerProblem } from "./register-checks.ts";

const NUMBER_FIELDS: ReadonlySet<string> = new Set([
  "address",
  "length",
  "bit",
  "bits",
  "scale",
  "offset",
  "absent",
  "intervalMs",
]);
const UPPER_FIELDS: ReadonlySet<string> = new Set(["area", "type", "order"]);
/** Names of the areas in manuals and other programs. */
const areaNames: Readonly<Record<string, string>> = {
  HOLDING: "HOLDING_REGISTER",
  HR: "HOLDING_REGISTER",
  "4X": "HOLDING_REGISTER",
  INPUT: "INPUT_REGISTER",
  IR: "INPUT_REGISTER",
  "3X": "INPUT_REGISTER",
  DISCRETE: "DISCRETE_INPUT",
  "1X": "DISCRETE_INPUT",
  "0X": "COIL",
};
const typeNames: Readonly<Record<string, string>> = {
  FLOAT: "FLOAT32",
  REAL: "FLOAT32",
  DOUBLE: "FLOAT64",
  U16: "UINT16",
  S16: "INT16",
  U32: "UINT32",
  S32: "INT32",
  WORD: "UINT16",
  DWORD: "UINT32",
};

const toNumber = (text: string): number =>
  /^0x[0-9a-f]{1,4}$/i.test(text) ? Number(text) : Number(text.replace(",", "."));

function fieldOf(name: string, text: string): unknown {
  if (NUMBER_FIELDS.has(name)) return toNumber(text);
  if (name === "writable") return isYes(text);
  if (!UPPER_FIELDS.has(name)) return text;
  const upper = text.toUpperCase().replaceAll(/[ -]/g, "_");
  return (name === "area" ? areaNames[upper] : name === "type" ? typeNames[upper] : undefined) ?? upper;
}

/** Reads a register map. @throws DomainError `invalid` if the text is not a table */
export const readRegisterMap = entryMapReader<ModbusRegister>({
  errors: modbusErrors,
  schema: registerBody,
  entriesMax: REGISTERS_MAX,
  defaults: { area: "HOLDING_REGISTER" },
  fieldOf,
  problemOf: registerProblem,
});
