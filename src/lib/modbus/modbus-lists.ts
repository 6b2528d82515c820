/** Constants of Modbus that the gateway and its console share. */

export const REGISTER_AREAS = ["HOLDING_REGISTER", "INPUT_REGISTER", "COIL", "DISCRETE_INPUT"] as const;
export type RegisterArea = (typeof REGISTER_AREAS)[number];

export const REGISTER_TYPES = [
  "INT16",
  "UINT16",
  "INT32",
  "UINT32",
  "INT64",
  "UINT64",
  "FLOAT32",
  "FLOAT64",
  "BCD16",
  "BCD32",
  "STRING",
  "BOOL",
] as const;
export type RegisterType = (typeof REGISTER_TYPES)[number];

const wordsOfType: Readonly<Record<Exclude<RegisterType, "STRING">, number>> = {
  INT16: 1,
  UINT16: 1,
  INT32: 2,
  UINT32: 2,
  INT64: 4,
  UINT64: 4,
  FLOAT32: 2,
  FLOAT64: 4,
  BCD16: 1,
  BCD32: 2,
  BOOL: 1,
};

/** Returns the number of registers or coils of a value. `length` is that of a STRING. */
export const sizeOf = ({ type, length = 1 }: { type: RegisterType; length?: number }): number =>
  type === "STRING" ? length : wordsOfType[type];

export const isBitArea = (area: RegisterArea): boolean => area === "COIL" || area === "DISCRETE_INPUT";

/** Byte orders of values: `ABCD` has the most significant byte first, `CDAB` the least significant word first. */
export const BYTE_ORDERS = ["ABCD", "CDAB", "BADC", "DCBA"] as const;
export type ByteOrder = (typeof BYTE_ORDERS)[number];

export const ADDRESS_MAX = 0xffff;
/** Max. registers of a unit. */
export const REGISTERS_MAX = 500;

export const MODBUS_FRAMINGS = ["TCP", "RTU", "SERIAL"] as const;
/** Framings. `RTU` is a serial line behind a device server, `SERIAL` a line at a serial port of the gateway. */
export type ModbusFraming = (typeof MODBUS_FRAMINGS)[number];

export const BAUD_RATES = [1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 115_200] as const;
export const PARITIES = ["NONE", "EVEN", "ODD"] as const;
export const STOP_BIT_COUNTS = [1, 2] as const;

export interface SerialSettings {
  readonly baudRate: (typeof BAUD_RATES)[number];
  readonly parity: (typeof PARITIES)[number];
  readonly stopBits: (typeof STOP_BIT_COUNTS)[number];
}

export const defaultSerial: SerialSettings = { baudRate: 9_600, parity: "NONE", stopBits: 1 };
