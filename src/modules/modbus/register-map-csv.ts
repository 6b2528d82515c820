import { TypeCompiler } from "@sinclair/typebox/compiler";
import { detail, invalid } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import { REGISTERS_MAX } from "../../lib/modbus/modbus-lists.ts";
import type { Text } from "../../lib/texts/text.ts";
import { registerBody } from "./modbus.schemas.ts";
import type { ModbusRegister } from "./modbus.types.ts";
import { registerProblem } from "./register-checks.ts";

/** A register map as a table: one line for each register, columns with the names of the register's fields. */
export interface RegisterMap {
  readonly registers: readonly ModbusRegister[];
  readonly problems: ReadonlyArray<{ readonly line: number; readonly problem: Text }>;
}

const numberFields: ReadonlySet<string> = new Set([
  "address",
  "length",
  "bit",
  "bits",
  "scale",
  "offset",
  "absent",
  "intervalMs",
]);
const upperFields: ReadonlySet<string> = new Set(["area", "type", "order"]);
/** Areas as manuals and other programs write them. */
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
  if (numberFields.has(name)) return toNumber(text);
  if (name === "writable") return /^(true|yes|ja|1|rw|w)$/i.test(text);
  if (!upperFields.has(name)) return text;
  const upper = text.toUpperCase().replaceAll(/[ -]/g, "_");
  return (name === "area" ? areaNames[upper] : name === "type" ? typeNames[upper] : undefined) ?? upper;
}

const check = TypeCompiler.Compile(registerBody);

/** Returns the register of a line, or what is wrong with the line. */
function registerOf(row: Readonly<Record<string, string>>): ModbusRegister | Text {
  const fields = Object.entries(row)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => [name, fieldOf(name, text)] as const);
  const register: unknown = { area: "HOLDING_REGISTER", ...Object.fromEntries(fields) };
  const wrong = check.Errors(register).First();
  if (wrong !== undefined) return detail("modbus_rule.column", { column: wrong.path.slice(1) });
  return check.Check(register)
    ? (registerProblem(register) ?? register)
    : detail("modbus_rule.column", { column: "" });
}

/** Max. characters per line. */
const LINE_CHARACTERS_MAX = 10_000;
/** Lines that are read: a map has 500 registers at most, and longer tables would hold up others. */
const LINES_MAX = 1_000;

interface Row {
  /** Line of the text, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, string>>;
}

const isRow = (row: unknown): row is { record: Record<string, string>; info: { lines: number } } =>
  isJsonObject(row) && isJsonObject(row.record) && isJsonObject(row.info);

async function rowsOf(csv: string): Promise<Row[]> {
  const { parse } = await import("csv-parse/sync"); // by the few who import, not at every start
  const [head = ""] = csv.split("\n", 1);
  try {
    const rows: unknown = parse(csv, {
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim()),
      delimiter: head.includes(";") ? ";" : head.includes("\t") ? "\t" : ",",
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      to: LINES_MAX + 1,
      max_record_size: LINE_CHARACTERS_MAX,
      trim: true,
    });
    if (!Array.isArray(rows)) return [];
    return rows.filter(isRow).map(({ record, info }) => ({ line: info.lines, fields: record }));
  } catch (error) {
    throw invalid("modbus.csv_unreadable", {
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Reads a register map. @throws DomainError `invalid` for a text that is no table */
export async function readRegisterMap(csv: string): Promise<RegisterMap> {
  const registers: ModbusRegister[] = [];
  const problems: { line: number; problem: Text }[] = [];
  const keys = new Set<string>();
  for (const [index, { line, fields }] of (await rowsOf(csv)).entries()) {
    if (index === LINES_MAX) {
      problems.push({ line, problem: detail("modbus_rule.lines", { max: LINES_MAX }) });
      break;
    }
    const register = registerOf(fields);
    if ("code" in register) problems.push({ line, problem: register });
    else if (keys.has(register.key)) problems.push({ line, problem: detail("modbus_rule.key_twice") });
    else if (registers.length >= REGISTERS_MAX)
      problems.push({ line, problem: detail("modbus_rule.registers", { max: REGISTERS_MAX }) });
    else {
      keys.add(register.key);
      registers.push(register);
    }
  }
  return { registers, problems };
}
