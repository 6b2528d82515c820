import type { JsonValue } from "../../lib/json/json.ts";
import { sizeOf } from "../../lib/modbus/modbus-lists.ts";
import {
  ensureWritten,
  ILLEGAL_FUNCTION,
  ModbusException,
  readRequest,
  readResponse,
  writeManyRequest,
  writeRequest,
} from "../../lib/modbus/modbus-pdu.ts";
import { decodeRegister, encodeRegister, RegisterValueError } from "../../lib/modbus/register-values.ts";
import type { ModbusConnection } from "../../platform/modbus/modbus-connection.ts";
import { modbusRegisterInvalid } from "./modbus.errors.ts";
import type { ModbusRegister } from "./modbus.types.ts";

/** @throws DomainError `invalid` for a value that is invalid for the register */
export function wordsFor(register: ModbusRegister, value: JsonValue): number[] {
  try {
    return encodeRegister(register, value);
  } catch (error) {
    if (error instanceof RegisterValueError) throw modbusRegisterInvalid(register.key, error.reason);
    throw error;
  }
}

/** Writes a value with the function for one value. If the unit does not support it, falls back to the function for several values permanently. */
async function writeWords(
  connection: ModbusConnection,
  unitId: number,
  { register, words }: { register: ModbusRegister; words: readonly number[] },
): Promise<void> {
  const { area, address } = register;
  const isMany = words.length > 1 || connection.writingMany.has(unitId);
  const request = (isMany ? writeManyRequest : writeRequest)(area, address, words);
  try {
    ensureWritten(request, await connection.request(unitId, request));
  } catch (error) {
    const isUnknown = error instanceof ModbusException && error.exceptionCode === ILLEGAL_FUNCTION;
    if (isMany || !isUnknown) throw error;
    const other = writeManyRequest(area, address, words);
    ensureWritten(other, await connection.request(unitId, other));
    connection.writingMany.add(unitId);
  }
}

/**
 * Writes a value and reads it back. Resolves to the value read back, which may differ because a device may limit or delay a change. Resolves to
 * `null` if the value cannot be read; it is written nevertheless, because many registers are write-only.
 */
export async function writeRegister(
  connection: ModbusConnection,
  unitId: number,
  { register, words }: { register: ModbusRegister; words: readonly number[] },
): Promise<JsonValue> {
  const { area, address, key } = register;
  await writeWords(connection, unitId, { register, words });
  const range = { area, address, count: sizeOf(register) };
  try {
    const read = readResponse(range, await connection.request(unitId, readRequest(range)));
    return { [key]: decodeRegister(register, read) ?? null };
  } catch {
    return { [key]: null };
  }
}
