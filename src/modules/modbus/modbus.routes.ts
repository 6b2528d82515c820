import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia, t } from "elysia";
import { detail, invalid } from "../../lib/core/domain-error.ts";
import { omit } from "../../lib/core/omit.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { REGISTERS_MAX } from "../../lib/modbus/modbus-lists.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { resourceRoutes } from "../resource.routes.ts";
import { itemToWire } from "../resource.ts";
import { successBody } from "../wire.schemas.ts";
import { modbusConnectionResource } from "./modbus.resource.ts";
import {
  createUnitBody,
  NEEDS_ALL,
  readAnswerBody,
  readBody,
  registerBody,
  registerMapAnswerBody,
  registerMapBody,
  templateBody,
  unitBody,
  updateUnitBody,
} from "./modbus.schemas.ts";
import type { ModbusService, ShownConnection, ShownUnit } from "./modbus.service.ts";
import type { ModbusRegister } from "./modbus.types.ts";
import { modbusTemplates } from "./modbus-templates.ts";
import { registerProblem } from "./register-checks.ts";

/** A register map as a table: one line for each register, columns with the names of the register's fields. */
interface RegisterMap {
  readonly registers: readonly ModbusRegister[];
  readonly problems: ReadonlyArray<{ readonly line: number; readonly problem: Text }>;
}

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
  if (NUMBER_FIELDS.has(name)) return toNumber(text);
  if (name === "writable") return /^(true|yes|ja|1|rw|w)$/i.test(text);
  if (!UPPER_FIELDS.has(name)) return text;
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

interface RoutesDeps {
  readonly modbus: ModbusService;
  readonly auth: AuthPlugin;
}

const unitList = wholeList({ sort: ["unitId", "deviceName"], search: ["deviceName"] });
const templateList = wholeList({ sort: ["name", "vendor", "kind"], search: ["name", "vendor"] });

const connectionToWire = ({ connection, units, state }: ShownConnection) => {
  const { status, since, problem, nextAttemptAt } = state;
  return {
    ...itemToWire(connection),
    units,
    state: { status, since: iso(since), problem, nextAttemptAt: iso(nextAttemptAt) },
  };
};

const unitToWire = ({ unit, deviceName, health }: ShownUnit) => {
  const { values, refused, lastReadAt, lastErrorAt, ...counts } = health;
  return {
    ...unit,
    registers: [...unit.registers],
    deviceName,
    health: {
      ...counts,
      lastReadAt: iso(lastReadAt),
      lastErrorAt: iso(lastErrorAt),
      values: [...values].map(([key, value]) => ({ key, value })),
      refused: [...refused].map(([key, exceptionCode]) => ({ key, exceptionCode })),
    },
    createdAt: iso(unit.createdAt),
    updatedAt: iso(unit.updatedAt),
  };
};

export const modbusConnectionsRoutes = ({ modbus, auth }: RoutesDeps) =>
  resourceRoutes(modbusConnectionResource, {
    service: modbus,
    toWire: connectionToWire,
    read: ({ principal }, id) => itemToWire(modbus.get(principal, id).connection),
    auth,
  }).post(
    "/:connectionId/read",
    async ({ principal, params, body }) => {
      const { values, ...range } = await modbus.read(principal, params.connectionId, body);
      return { ...range, values: [...values] };
    },
    {
      auth: "integrations:read",
      body: readBody,
      response: { 200: readAnswerBody },
      detail: {
        operationId: "readModbusRegisters",
        summary: "Read Modbus registers now",
        description: `Reads a range of registers or bits between two regular reads. 409 while the connection is not open, or with the exception of the device; 404 unknown. ${NEEDS_ALL}`,
        example: { unitId: 1, area: "HOLDING_REGISTER", address: 0, count: 10 },
      },
    },
  );

export function modbusUnitsRoutes({ modbus, auth }: RoutesDeps) {
  const read = ({ principal, params }: AuditContext, id: string) => {
    const unit = omit(unitToWire(modbus.unit(principal, params.connectionId ?? "", id)), "health");
    return unit;
  };
  return new Elysia({ prefix: "/api/modbus/connections/:connectionId/units", tags: ["modbus"] })
    .use(auth)
    .get(
      "",
      ({ principal, params, query, request, set }) =>
        unitList.page({ query, request, set }, modbus.units(principal, params.connectionId).map(unitToWire)),
      {
        auth: "integrations:read",
        query: t.Object(unitList.fields),
        response: { 200: t.Array(unitBody) },
        detail: {
          operationId: "listModbusUnits",
          summary: "List the units of a Modbus connection",
          description: `Lists units with their registers, newest values and health. 404 unknown. ${NEEDS_ALL}`,
        },
      },
    )
    .post(
      "",
      ({ principal, params, body, set }) => {
        set.status = 201;
        return unitToWire(modbus.createUnit(principal, params.connectionId, body));
      },
      {
        auth: "integrations:write",
        audit: { action: "modbus_unit.create", target: "modbus_unit", created: "modbusUnitId", read },
        body: createUnitBody,
        response: { 201: unitBody },
        detail: {
          operationId: "createModbusUnit",
          summary: "Add a unit to a Modbus connection",
          description: `The values of its registers become telemetry of the device, and commands to the device write its writable registers. 400 for a register that cannot be; 404 for an unknown connection or device; 409 for a device that another unit has, for more than 250 units, or for more than 20,000 registers of all units of the connection. ${NEEDS_ALL}`,
          example: {
            deviceId: "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d",
            unitId: 1,
            intervalMs: 5_000,
            registers: [{ key: "power", area: "INPUT_REGISTER", address: 52, type: "FLOAT32" }],
          },
        },
      },
    )
    .patch(
      "/:modbusUnitId",
      ({ principal, params, body }) => unitToWire(modbus.updateUnit(principal, params, body)),
      {
        auth: "integrations:write",
        audit: { action: "modbus_unit.update", target: "modbus_unit", read },
        body: updateUnitBody,
        response: { 200: unitBody },
        detail: {
          operationId: "updateModbusUnit",
          summary: "Change a unit",
          description: `A list of registers replaces the one before. 400 for a register that cannot be; 404 unknown; 409 for more than 20,000 registers of all units of the connection. ${NEEDS_ALL}`,
          example: { intervalMs: 1_000 },
        },
      },
    )
    .delete(
      "/:modbusUnitId",
      ({ principal, params }) => {
        modbus.deleteUnit(principal, params.connectionId, params.modbusUnitId);
        return { success: true };
      },
      {
        auth: "integrations:write",
        audit: { action: "modbus_unit.delete", target: "modbus_unit", read },
        response: { 200: successBody },
        detail: {
          operationId: "deleteModbusUnit",
          summary: "Delete a unit",
          description: `The device and its values stay. 404 unknown. ${NEEDS_ALL}`,
        },
      },
    );
}

/** Routes for register maps: templates, and tables from a file. */
export const modbusRegisterMapsRoutes = ({ auth }: Pick<RoutesDeps, "auth">) =>
  new Elysia({ prefix: "/api/modbus", tags: ["modbus"] })
    .use(auth)
    .get(
      "/templates",
      ({ query, request, set }) => templateList.page({ query, request, set }, modbusTemplates()),
      {
        auth: "integrations:read",
        query: t.Object(templateList.fields),
        response: { 200: t.Array(templateBody) },
        detail: {
          operationId: "listModbusTemplates",
          summary: "List register maps of common devices",
          description: "Lists the registers of common meters, drives and controllers, to begin with.",
        },
      },
    )
    .post(
      "/register-maps",
      async ({ body }) => {
        const { registers, problems } = await readRegisterMap(body.csv);
        return { registers: [...registers], problems: [...problems] };
      },
      {
        auth: "integrations:read",
        body: registerMapBody,
        response: { 200: registerMapAnswerBody },
        detail: {
          operationId: "parseModbusRegisterMap",
          summary: "Read a register map from CSV",
          description:
            "Returns the registers of a table without storing anything, and the lines that are no register. At most 1,000 lines are read. Columns: key, area, address, type, order, length, bit, bits, scale, offset, absent, intervalMs, writable. 400 for a text that is no table.",
          example: { csv: "key,area,address,type,scale\npower,input,52,float,1" },
        },
      },
    );
