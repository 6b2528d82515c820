import { detail } from "../../lib/core/domain-error.ts";
import { ADDRESS_MAX, isBitArea, sizeOf } from "../../lib/modbus/modbus-lists.ts";
import { absentValueOf, type RegisterSpec } from "../../lib/modbus/register-values.ts";
import type { Text } from "../../lib/texts/text.ts";
import { modbusErrors, modbusRegisterInvalid } from "./modbus.errors.ts";
import type { ModbusRegister } from "./modbus.types.ts";

const FIELD_TYPES: ReadonlySet<string> = new Set(["UINT16", "UINT32"]);

export function registerProblem(register: RegisterSpec & { readonly writable?: boolean }): Text | undefined {
  const { area, address, type, bit, bits = 1, length, scale, absent, writable } = register;
  if (address + sizeOf(register) - 1 > ADDRESS_MAX) return detail("modbus_rule.address_end");
  if (isBitArea(area) !== (type === "BOOL") && type !== "BOOL")
    return detail("modbus_rule.area_bool", { area });
  if ((type === "STRING") !== (length !== undefined)) return detail("modbus_rule.length_string");
  if (scale === 0) return detail("modbus_rule.scale_zero");
  if (absent !== undefined && absentValueOf(type, absent) === undefined)
    return detail("modbus_rule.absent_range", { value: absent, type });
  if (bit !== undefined && !FIELD_TYPES.has(type)) return detail("modbus_rule.bit_type");
  if (bit !== undefined && bit + bits > sizeOf(register) * 16) return detail("modbus_rule.bit_range");
  if (writable !== true) return undefined;
  if (bit !== undefined) return detail("modbus_rule.bit_written");
  if (area === "INPUT_REGISTER" || area === "DISCRETE_INPUT")
    return detail("modbus_rule.area_read_only", { area });
  return undefined;
}

/** @throws DomainError `invalid` for an invalid register or a duplicate key */
export function ensureRegisters(registers: readonly ModbusRegister[]): void {
  const keys = new Set<string>();
  for (const register of registers) {
    const problem = keys.has(register.key) ? modbusErrors.keyTwice() : registerProblem(register);
    if (problem !== undefined) throw modbusRegisterInvalid(register.key, problem);
    keys.add(register.key);
  }
}
