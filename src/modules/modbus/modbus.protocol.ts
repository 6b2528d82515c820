import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { defaultSerial } from "../../lib/modbus/modbus-lists.ts";
import {
  ModbusException,
  ModbusProtocolError,
  readRequest,
  readResponse,
} from "../../lib/modbus/modbus-pdu.ts";
import { planReads, wordsIn } from "../../lib/modbus/read-plan.ts";
import { decodeRegister, isAbsent, type RegisterValue } from "../../lib/modbus/register-values.ts";
import { ModbusConnection } from "../../platform/modbus/modbus-connection.ts";
import { isPortPath } from "../../platform/serial/serial-port.ts";
import type { FieldFailure, FieldProtocol } from "../field/field.protocol.ts";
import { missingNotes } from "../field/missing-note.ts";
import { networkFailure } from "../field/network-failure.ts";
import { modbusErrors, modbusPortPath, modbusSerialHostOnly } from "./modbus.errors.ts";
import type { ModbusConnectionRecord, modbusConnectionResource } from "./modbus.resource.ts";
import type { ModbusRegister, ModbusUnit, NewUnit, UnitChange } from "./modbus.types.ts";
import { ensureRegisters } from "./register-checks.ts";
import { wordsFor, writeRegister } from "./register-writing.ts";

export interface ModbusKind {
  readonly connection: ModbusConnectionRecord;
  readonly unit: ModbusUnit;
  readonly entry: ModbusRegister;
  readonly line: ModbusConnection;
  readonly create: typeof modbusConnectionResource.$create;
  readonly update: typeof modbusConnectionResource.$update;
  readonly createUnit: NewUnit;
  readonly updateUnit: UnitChange;
}

const connectionDefaults = {
  enabled: true,
  port: 502,
  framing: "TCP",
  serial: null,
  timeoutMs: 2_000,
  pauseMs: 0,
} as const;
const unitDefaults = { unitId: 1, intervalMs: 10_000, wordsMax: 125, gapMax: 8, registers: [] } as const;

/** Exceptions about the address, the number of registers or the function; another request may succeed. */
const REFUSALS: ReadonlySet<number> = new Set([1, 2, 3]);
/** Exceptions of a gateway to a serial line that cannot reach the unit. */
const UNREACHABLE: ReadonlySet<number> = new Set([10, 11]);

function failureOf(error: unknown): FieldFailure {
  if (error instanceof ModbusException) {
    const { exceptionCode: code } = error;
    const isSilence = UNREACHABLE.has(code);
    const text = detail("modbus.exception", { code });
    return { text, isSilence, isResponse: !isSilence, ...(REFUSALS.has(code) && { refusal: code }) };
  }
  if (error instanceof ModbusProtocolError)
    return { text: detail("modbus.bad_response", { reason: error.message }) };
  return networkFailure(error);
}

type ConnectionFields = Pick<ModbusConnectionRecord, "framing" | "serial" | "tenantId" | "host">;

export interface ModbusProtocolDeps {
  /** Returns whether the tenant is the host's own tenant, which may use the gateway's serial ports. */
  readonly isHost: (tenantId: TenantId) => boolean;
}

export function createModbusProtocol({ isHost }: ModbusProtocolDeps): FieldProtocol<ModbusKind> {
  /** Returns the connection with the settings of its serial port, if any. @throws DomainError for a forbidden port */
  function withPort<Fields extends ConnectionFields>(connection: Fields): Fields {
    const { framing, serial, tenantId, host } = connection;
    if (framing !== "SERIAL") return { ...connection, serial: null };
    if (!isHost(tenantId)) throw modbusSerialHostOnly();
    if (!isPortPath(host)) throw modbusPortPath();
    return { ...connection, serial: serial ?? defaultSerial };
  }
  return {
    name: "modbus",
    label: "Modbus",
    errors: modbusErrors,
    open: (connection, options) => ModbusConnection.open({ ...connection, ...options }),
    whereOf: ({ host, port, serial }) => (serial === null ? `${host}:${port}` : host),
    unitIdOf: ({ modbusUnitId }) => modbusUnitId,
    entriesOf: ({ registers }) => registers,
    unitNameOf: ({ unitId }) => String(unitId),
    keysOf: ({ key }) => [key],
    plan: (unit, registers) =>
      planReads(registers, unit).map((block) => ({
        entries: block.registers,
        read: async (line) => {
          const { range } = block;
          const words = readResponse(range, await line.request(unit.unitId, readRequest(range)));
          const own = (register: ModbusRegister) => wordsIn(block, register, words);
          const values = block.registers.map((register): [ModbusRegister, (RegisterValue | undefined)[]] => [
            register,
            [decodeRegister(register, own(register))],
          ]);
          const unmarked = values.filter(([register]) => !isAbsent(register, own(register)));
          return { values, notes: missingNotes(unmarked) };
        },
      })),
    failureOf,
    refusedText: (key, code) => detail("modbus.register_refused", { key, code }),
    writing: ({ unitId }, register, { value }) => {
      const words = wordsFor(register, value);
      return (line) => writeRegister(line, unitId, { register, words });
    },
    newConnection: (input, tenantId) => withPort({ ...connectionDefaults, ...input, tenantId }),
    changedConnection: (before, change) => withPort({ ...before, ...change }),
    newUnit: (input, { unitId: modbusUnitId, ...base }) => ({
      ...unitDefaults,
      ...input,
      ...base,
      modbusUnitId,
    }),
    ensureEntries: ensureRegisters,
  };
}
