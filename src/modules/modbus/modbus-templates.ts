import type { ModbusRegister } from "./modbus.types.ts";

/** Registers of a common device, to begin with. */
export interface ModbusTemplate {
  readonly templateId: string;
  readonly name: string;
  readonly vendor: string;
  readonly kind: "METER" | "DRIVE" | "PLC" | "INVERTER" | "SENSOR";
  /** Document that the registers are from. */
  readonly source: string;
  readonly registers: ModbusRegister[];
}

/** Makes input registers with 32-bit floats, as Eastron's meters have them. */
const inputFloats = (addresses: Readonly<Record<string, number>>): ModbusRegister[] =>
  Object.entries(addresses).map(([key, address]) => ({
    key,
    area: "INPUT_REGISTER",
    address,
    type: "FLOAT32",
  }));

const templates: readonly ModbusTemplate[] = [
  {
    templateId: "eastron-sdm630",
    name: "SDM630",
    vendor: "Eastron",
    kind: "METER",
    source: "SDM630 Modbus protocol implementation V1.5",
    registers: inputFloats({
      voltage_l1: 0,
      voltage_l2: 2,
      voltage_l3: 4,
      current_l1: 6,
      current_l2: 8,
      current_l3: 10,
      power_l1: 12,
      power_l2: 14,
      power_l3: 16,
      power: 52,
      apparent_power: 56,
      reactive_power: 60,
      power_factor: 62,
      frequency: 70,
      energy_import_kwh: 72,
      energy_export_kwh: 74,
    }),
  },
];

/** Returns the templates that come with the program. */
export const modbusTemplates = (): ModbusTemplate[] => [...templates];
