/** Objects and properties of BACnet (ASHRAE 135) as people write them: `analog-input:3`, `AV:12:units`, `multi-state-value:4:state-text[2]`. */

/** Property of an object, or one element of it. */
export interface BacnetRef {
  readonly type: number;
  readonly instance: number;
  readonly property: number;
  readonly index?: number;
}

export const INSTANCE_MAX = 0x3f_fffe;
const TYPE_MAX = 0x3ff;
/** Max. property number (22 bits). */
const PROPERTY_MAX = 0x3f_ffff;
export const ADDRESS_CHARACTERS_MAX = 100;

/** Object types with a value, by name. */
const TYPES: Readonly<Record<string, number>> = {
  "analog-input": 0,
  "analog-output": 1,
  "analog-value": 2,
  "binary-input": 3,
  "binary-output": 4,
  "binary-value": 5,
  device: 8,
  loop: 12,
  "multi-state-input": 13,
  "multi-state-output": 14,
  schedule: 17,
  "multi-state-value": 19,
  accumulator: 23,
  "pulse-converter": 24,
  "bitstring-value": 39,
  "characterstring-value": 40,
  "integer-value": 45,
  "large-analog-value": 46,
  "positive-integer-value": 48,
  "lighting-output": 54,
  "binary-lighting-output": 55,
};
const SHORT_TYPES: Readonly<Record<string, number>> = {
  ai: 0,
  ao: 1,
  av: 2,
  bi: 3,
  bo: 4,
  bv: 5,
  mi: 13,
  msi: 13,
  mo: 14,
  mso: 14,
  mv: 19,
  msv: 19,
};
const BINARY_TYPES: ReadonlySet<number> = new Set([3, 4, 5, 55]);
const MULTI_STATE_TYPES: ReadonlySet<number> = new Set([13, 14, 19]);
/** Object types whose objects report the reliability of their values. */
const TYPES_WITHOUT_STATUS: ReadonlySet<number> = new Set([8]);

export const PROPERTIES = {
  "active-text": 4,
  description: 28,
  "event-state": 36,
  "high-limit": 45,
  "inactive-text": 46,
  "low-limit": 59,
  "max-apdu-length-accepted": 62,
  "number-of-states": 74,
  "object-identifier": 75,
  "object-list": 76,
  "object-name": 77,
  "out-of-service": 81,
  "present-value": 85,
  "priority-array": 87,
  reliability: 103,
  "relinquish-default": 104,
  "state-text": 110,
  "status-flags": 111,
  units: 117,
} as const;
const propertyNumbers: Readonly<Record<string, number>> = PROPERTIES;

const numberIn = (table: Readonly<Record<string, number>>, text: string): number | undefined => {
  if (/^\d+$/.test(text)) return Number(text);
  return Object.hasOwn(table, text) ? table[text] : undefined;
};

const nameIn = (table: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(table).find(([, number]) => number === value)?.[0] ?? String(value);

const ADDRESS =
  /^([a-z]+(?:-[a-z]+)*|\d{1,4})[:,](\d{1,7})(?::([a-z]+(?:-[a-z]+)*|\d{1,7})(?:\[(\d{1,5})\])?)?$/;

/** Returns the property in a text; undefined if there is none. Without a property, it is the present value. */
export function parseBacnetAddress(text: string): BacnetRef | undefined {
  const [, typeText = "", instanceText = "", propertyText = "present-value", index] =
    ADDRESS.exec(text.trim().toLowerCase()) ?? [];
  const type = numberIn(TYPES, typeText) ?? numberIn(SHORT_TYPES, typeText);
  const property = numberIn(propertyNumbers, propertyText);
  const instance = Number(instanceText);
  if (type === undefined || property === undefined) return undefined;
  if (type > TYPE_MAX || instance > INSTANCE_MAX || property > PROPERTY_MAX) return undefined;
  return { type, instance, property, ...(index !== undefined && { index: Number(index) }) };
}

export const objectText = ({ type, instance }: Pick<BacnetRef, "type" | "instance">): string =>
  `${nameIn(TYPES, type)}:${instance}`;

export const isValueType = (type: number): boolean =>
  type !== TYPES.device && nameIn(TYPES, type) !== String(type);
export const isBinary = ({ type, property }: BacnetRef): boolean =>
  BINARY_TYPES.has(type) && property === PROPERTIES["present-value"];
export const isMultiState = ({ type }: Pick<BacnetRef, "type">): boolean => MULTI_STATE_TYPES.has(type);
/** Returns whether the object has status flags for the property. */
export const hasStatus = ({ type, property }: BacnetRef): boolean =>
  property === PROPERTIES["present-value"] && !TYPES_WITHOUT_STATUS.has(type);

/** UCUM codes by number of the BACnet engineering unit. Units without a code are absent. */
const UNITS: Readonly<Record<number, string>> = {
  0: "m2",
  2: "mA",
  3: "A",
  4: "Ohm",
  5: "V",
  6: "kV",
  8: "V.A",
  9: "kV.A",
  11: "var",
  12: "kvar",
  14: "deg",
  16: "J",
  17: "kJ",
  18: "W.h",
  19: "kW.h",
  27: "Hz",
  28: "g/kg",
  29: "%",
  30: "mm",
  31: "m",
  35: "W/m2",
  36: "lm",
  37: "lx",
  39: "kg",
  41: "t",
  42: "kg/s",
  44: "kg/h",
  47: "W",
  48: "kW",
  49: "MW",
  53: "Pa",
  54: "kPa",
  55: "bar",
  56: "[psi]",
  62: "Cel",
  63: "K",
  64: "[degF]",
  70: "d",
  71: "h",
  72: "min",
  73: "s",
  74: "m/s",
  75: "km/h",
  80: "m3",
  82: "L",
  84: "[cft_i]/min",
  85: "m3/s",
  87: "L/s",
  88: "L/min",
  89: "[gal_us]/min",
  90: "deg",
  96: "[ppm]",
  97: "[ppb]",
  98: "%",
  104: "{rpm}",
  118: "cm",
  121: "K",
  124: "mV",
  126: "MJ",
  129: "kHz",
  132: "mW",
  133: "hPa",
  134: "mbar",
  135: "m3/h",
  136: "L/h",
  146: "MW.h",
  159: "ms",
  165: "m3/min",
  190: "uS",
  195: "g",
  199: "dB",
  203: "var.h",
  204: "kvar.h",
  215: "mg/L",
  218: "mg/m3",
  219: "ug/m3",
  234: "[pH]",
};

export const ucumOf = (unit: number): string | undefined => UNITS[unit];

/** Reasons why a value is unreliable, by number of its reliability. */
const RELIABILITIES =
  "no-fault-detected no-sensor over-range under-range open-loop shorted-loop no-output unreliable-other process-error multi-state-fault configuration-error 11 communication-failure member-fault monitored-object-fault tripped lamp-failure activation-failure renew-dhcp-failure renew-fd-registration-failure restart-auto-negotiation-failure restart-failure proprietary-command-failure faults-listed referenced-object-fault".split(
    " ",
  );

export const reliabilityText = (number: number): string => RELIABILITIES[number] ?? String(number);
