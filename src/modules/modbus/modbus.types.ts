import type { RegisterSpec } from "../../lib/modbus/register-values.ts";
import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** A value of a device: where it is, and the telemetry key under which it is stored. */
export interface ModbusRegister extends FieldEntry, RegisterSpec {}

/** A unit (slave) of a connection, and the device that has its values. */
export interface ModbusUnit extends FieldUnit {
  readonly modbusUnitId: string;
  /** Address on the line, 0–255. */
  readonly unitId: number;
  readonly wordsMax: number;
  readonly gapMax: number;
  readonly registers: readonly ModbusRegister[];
}

export type UnitChange = Partial<
  Pick<ModbusUnit, "unitId" | "intervalMs" | "wordsMax" | "gapMax" | "registers">
>;
export type NewUnit = UnitChange & { readonly deviceId: string };
