import { ADDRESS_MAX, isBitArea } from "../../lib/modbus/modbus-pdu.ts";
import { type RegisterSpec, sizeOf } from "../../lib/modbus/register-values.ts";
import { modbusRegisterInvalid } from "./modbus.errors.ts";
import type { ModbusRegister } from "./modbus.types.ts";

const fieldTypes: ReadonlySet<string> = new Set(["UINT16", "UINT32"]);

/** Returns what is wrong with a register, in English; `undefined` if nothing is. */
export function registerProblem(
  register: RegisterSpec & { readonly writable?: boolean },
): string | undefined {
  const { area, address, type, bit, bits = 1, length, scale, writable } = register;
  if (address + sizeOf(register) - 1 > ADDRESS_MAX) return "the last register has an address above 65535";
  if (isBitArea(area) !== (type === "BOOL") && type !== "BOOL") return `${area} needs the type BOOL`;
  if ((type === "STRING") !== (length !== undefined)) return "length belongs to the type STRING";
  if (scale === 0) return "scale must not be 0";
  if (bit !== undefined && !fieldTypes.has(type)) return "bit needs the type UINT16 or UINT32";
  if (bit !== undefined && bit + bits > sizeOf(register) * 16) return "the bits are not in the register";
  if (writable !== true) return undefined;
  if (bit !== undefined) return "a field of bits cannot be written";
  if (area === "INPUT_REGISTER" || area === "DISCRETE_INPUT") return `${area} cannot be written`;
  return undefined;
}

/** @throws DomainError `invalid` for a register that cannot be, or a key that two registers have */
export function ensureRegisters(registers: readonly ModbusRegister[]): void {
  const keys = new Set<string>();
  for (const register of registers) {
    const problem = keys.has(register.key) ? "two registers have this key" : registerProblem(register);
    if (problem !== undefined) throw modbusRegisterInvalid(register.key, problem);
    keys.add(register.key);
  }
}
