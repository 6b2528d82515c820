import type { ModbusRegister } from "./modbus.types.ts";

/** Register map of a common device. */
export interface ModbusTemplate {
  readonly templateId: string;
  readonly name: string;
  readonly vendor: string;
  readonly kind: "METER" | "DRIVE" | "PLC" | "INVERTER" | "SENSOR";
  /** Vendor document that describes the registers. */
  readonly source: string;
  readonly registers: ModbusRegister[];
}

type Layout = Omit<ModbusRegister, "key" | "address">;

/** Returns registers with equal settings at different addresses. */
const registersOf = (layout: Layout, addresses: Readonly<Record<string, number>>): ModbusRegister[] =>
  Object.entries(addresses).map(([key, address]) => ({ key, address, ...layout }));

const inputFloat: Layout = { area: "INPUT_REGISTER", type: "FLOAT32" };
const holdingFloat: Layout = { area: "HOLDING_REGISTER", type: "FLOAT32" };

const phases = (name: string, first: number): Record<string, number> => ({
  [`${name}_l1`]: first,
  [`${name}_l2`]: first + 2,
  [`${name}_l3`]: first + 4,
});

const eastron: readonly ModbusTemplate[] = [
  {
    templateId: "eastron-sdm630",
    name: "SDM630",
    vendor: "Eastron",
    kind: "METER",
    source: "SDM630 Modbus protocol implementation V1.5",
    registers: registersOf(inputFloat, {
      ...phases("voltage", 0),
      ...phases("current", 6),
      ...phases("power", 12),
      power: 52,
      apparent_power: 56,
      reactive_power: 60,
      power_factor: 62,
      frequency: 70,
      energy_import_kwh: 72,
      energy_export_kwh: 74,
    }),
  },
  {
    templateId: "eastron-sdm120",
    name: "SDM120",
    vendor: "Eastron",
    kind: "METER",
    source: "SDM120-Modbus user manual",
    registers: registersOf(inputFloat, {
      voltage: 0,
      current: 6,
      power: 12,
      apparent_power: 18,
      reactive_power: 24,
      power_factor: 30,
      frequency: 70,
      energy_import_kwh: 72,
      energy_export_kwh: 74,
    }),
  },
  {
    templateId: "eastron-sdm72d",
    name: "SDM72D-M",
    vendor: "Eastron",
    kind: "METER",
    source: "SDM72D-M user manual",
    registers: registersOf(inputFloat, { power: 52, energy_import_kwh: 72, energy_export_kwh: 74 }),
  },
];

/** Raw values of ABB meters and SMA inverters for "no value". */
const NO_UINT32 = 0xffff_ffff;
const NO_UINT64 = 2 ** 64;

const meters: readonly ModbusTemplate[] = [
  {
    templateId: "abb-b23-b24",
    name: "B23 and B24",
    vendor: "ABB",
    kind: "METER",
    source: "ABB B23/B24 user manual, mapping tables",
    registers: [
      ...registersOf(
        { area: "HOLDING_REGISTER", type: "UINT32", scale: 0.1, absent: NO_UINT32 },
        phases("voltage", 0x5b00),
      ),
      ...registersOf(
        { area: "HOLDING_REGISTER", type: "UINT32", scale: 0.01, absent: NO_UINT32 },
        phases("current", 0x5b0c),
      ),
      ...registersOf(
        { area: "HOLDING_REGISTER", type: "INT32", scale: 0.01, absent: 0x7fff_ffff },
        { power: 0x5b14, ...phases("power", 0x5b16) },
      ),
      ...registersOf(
        { area: "HOLDING_REGISTER", type: "UINT16", scale: 0.01, absent: 0xffff },
        { frequency: 0x5b2c },
      ),
      ...registersOf(
        { area: "HOLDING_REGISTER", type: "INT16", scale: 0.001, absent: 0x7fff },
        { power_factor: 0x5b3a },
      ),
      ...registersOf(
        { area: "HOLDING_REGISTER", type: "UINT64", scale: 0.01, absent: NO_UINT64 },
        { energy_import_kwh: 0x5000, energy_export_kwh: 0x5004 },
      ),
    ],
  },
  {
    templateId: "carlo-gavazzi-em340",
    name: "EM340",
    vendor: "Carlo Gavazzi",
    kind: "METER",
    source: "EM340 communication protocol",
    registers: [
      ...registersOf(
        { area: "INPUT_REGISTER", type: "INT32", order: "CDAB", scale: 0.1 },
        {
          ...phases("voltage", 0),
          ...phases("power", 0x12),
          power: 0x28,
          energy_import_kwh: 0x34,
          energy_export_kwh: 0x4e,
        },
      ),
      ...registersOf(
        { area: "INPUT_REGISTER", type: "INT32", order: "CDAB", scale: 0.001 },
        phases("current", 0x0c),
      ),
      ...registersOf({ area: "INPUT_REGISTER", type: "INT16", scale: 0.001 }, { power_factor: 0x31 }),
      ...registersOf({ area: "INPUT_REGISTER", type: "INT16", scale: 0.1 }, { frequency: 0x33 }),
    ],
  },
  {
    templateId: "janitza-b23",
    name: "B23",
    vendor: "Janitza",
    kind: "METER",
    source: "Janitza B23 user manual, registers from 19000",
    registers: [
      ...registersOf(holdingFloat, {
        ...phases("voltage", 19_000),
        ...phases("current", 19_012),
        ...phases("power", 19_020),
        power: 19_026,
        frequency: 19_050,
      }),
      ...registersOf(
        { ...holdingFloat, scale: 0.001 },
        { energy_import_kwh: 19_068, energy_export_kwh: 19_076 },
      ),
    ],
  },
  {
    templateId: "janitza-umg604",
    name: "UMG 604-PRO",
    vendor: "Janitza",
    kind: "METER",
    source: "UMG 604 Modbus address list",
    registers: registersOf(holdingFloat, {
      ...phases("voltage", 1317),
      ...phases("current", 1325),
      ...phases("power", 1333),
      power: 1369,
      reactive_power: 1371,
      frequency: 1439,
    }),
  },
  {
    templateId: "schneider-iem3155",
    name: "iEM3150 and iEM3155",
    vendor: "Schneider Electric",
    kind: "METER",
    source: "iEM3000 series user manual DOCA0005, register list",
    registers: [
      ...registersOf(holdingFloat, {
        ...phases("current", 0x0bb7),
        ...phases("voltage", 0x0bd3),
        frequency: 0x0c25,
      }),
      // The meter has its powers in kW, kvar and kVA.
      ...registersOf(
        { ...holdingFloat, scale: 1_000 },
        { ...phases("power", 0x0bed), power: 0x0bf3, reactive_power: 0x0bfb, apparent_power: 0x0c03 },
      ),
      ...registersOf(
        { area: "HOLDING_REGISTER", type: "INT64", scale: 0.001 },
        { energy_import_kwh: 0x0c83, energy_export_kwh: 0x0c87 },
      ),
    ],
  },
  {
    templateId: "siemens-pac2200",
    name: "PAC2200",
    vendor: "Siemens",
    kind: "METER",
    source: "SENTRON PAC2200 manual, Modbus measured variables",
    registers: [
      ...registersOf(inputFloat, {
        ...phases("voltage", 1),
        ...phases("current", 13),
        ...phases("power", 25),
        apparent_power: 63,
        power: 65,
        reactive_power: 67,
        power_factor: 69,
      }),
      ...registersOf(
        { area: "INPUT_REGISTER", type: "FLOAT64", scale: 0.001 },
        { energy_import_kwh: 801, energy_export_kwh: 809 },
      ),
    ],
  },
];

const others: readonly ModbusTemplate[] = [
  {
    templateId: "danfoss-vlt-fc",
    name: "VLT FC series",
    vendor: "Danfoss",
    kind: "DRIVE",
    // Registers of the document begin with 1: status word 50200 and main actual value 50210. A parameter has the register 10 × its number.
    source: "VLT AQUA Drive FC 202 design guide MG20Z1, holding registers and status word (FC profile)",
    registers: [
      { key: "status_word", area: "HOLDING_REGISTER", address: 50_199, type: "UINT16" },
      ...Object.entries({ ready: 1, alarm: 3, warning: 7, at_reference: 8, auto_mode: 9, running: 11 }).map(
        ([key, bit]) => ({
          key,
          area: "HOLDING_REGISTER" as const,
          address: 50_199,
          type: "UINT16" as const,
          bit,
        }),
      ),
      // 16,384 is 100 %.
      {
        key: "main_actual_value_percent",
        area: "HOLDING_REGISTER",
        address: 50_209,
        type: "INT16",
        scale: 100 / 16_384,
      },
    ],
  },
  {
    templateId: "sma-inverter",
    name: "Inverters with the SMA Modbus profile",
    vendor: "SMA",
    kind: "INVERTER",
    source: "SMA Modbus profile: GridMs.TotW and Metering.TotWhOut",
    registers: [
      { key: "power", area: "INPUT_REGISTER", address: 30_775, type: "INT32", absent: -0x8000_0000 },
      {
        key: "energy_export_kwh",
        area: "HOLDING_REGISTER",
        address: 30_513,
        type: "UINT64",
        scale: 0.001,
        absent: NO_UINT64,
      },
    ],
  },
  {
    templateId: "sungrow-sg",
    name: "SG series",
    vendor: "Sungrow",
    kind: "INVERTER",
    source: "Sungrow communication protocol of PV grid-connected string inverters",
    registers: registersOf(
      { area: "INPUT_REGISTER", type: "UINT32", order: "CDAB" },
      { energy_export_kwh: 5003, power: 5030 },
    ),
  },
  {
    templateId: "siemens-s7-1200",
    name: "S7-1200 with MB_SERVER",
    vendor: "Siemens",
    kind: "PLC",
    source: "S7-1200 system manual, instruction MB_SERVER: the first ten words of MB_HOLD_REG",
    registers: registersOf(
      { area: "HOLDING_REGISTER", type: "UINT16" },
      Object.fromEntries(Array.from({ length: 10 }, (_, word) => [`word_${word}`, word])),
    ),
  },
];

const TEMPLATES = [...eastron, ...meters, ...others];

/** Returns the built-in templates. */
export const modbusTemplates = (): ModbusTemplate[] => [...TEMPLATES];
