import type { RegisterSpec } from "../../lib/modbus/register-values.ts";
import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** Value of a device: its registers and its telemetry key. */
export interface ModbusRegister extends FieldEntry, RegisterSpec {}

/** Unit (slave) of a connection, and the device for its values. */
export interface ModbusUnit extends FieldUnit {
  readonly modbusUnitId: string;
  /** Unit id on the line, 0–255. */
  readonly unitId: number;
  readonly wordsMax: number;
  readonly gapMax: number;
  readonly registers: readonly ModbusRegister[];
}

export type UnitChange = Partial<
  Pick<ModbusUnit, "unitId" | "intervalMs" | "wordsMax" | "gapMax" | "registers">
>;
export type NewUnit = UnitChange & { readonly deviceId: string };
