import { t } from "elysia";
import {
  ADDRESS_MAX,
  BAUD_RATES,
  BYTE_ORDERS,
  MODBUS_FRAMINGS,
  PARITIES,
  REGISTER_AREAS,
  REGISTER_TYPES,
  REGISTERS_MAX,
  STOP_BIT_COUNTS,
} from "../../lib/modbus/modbus-lists.ts";
import { READ_WORDS_MAX } from "../../lib/modbus/modbus-pdu.ts";
import {
  choice,
  isoTime,
  isoTimeOrNull,
  literals,
  nameText,
  textSchema,
  wholeNumber,
} from "../wire.schemas.ts";
import { CONNECTION_STATES } from "./modbus.types.ts";

const INTERVAL_MS_MIN = 100;
const DAY_MS = 86_400_000;

const interval = (description: string) =>
  wholeNumber({ minimum: INTERVAL_MS_MIN, maximum: DAY_MS, description });
const unitNumber = wholeNumber({ minimum: 0, maximum: 255, description: "address of the unit on the line" });
const addressNumber = wholeNumber({
  minimum: 0,
  maximum: ADDRESS_MAX,
  description: "address from 0: register 40001 of a manual is HOLDING_REGISTER 0",
});

const registerFields = {
  area: literals(REGISTER_AREAS),
  address: addressNumber,
  type: literals(REGISTER_TYPES),
  order: t.Optional(
    literals(BYTE_ORDERS, {
      description: "order of the bytes; ABCD has the most significant first and is the default",
    }),
  ),
  length: t.Optional(wholeNumber({ minimum: 1, maximum: 64, description: "registers of a STRING" })),
  bit: t.Optional(
    wholeNumber({ minimum: 0, maximum: 31, description: "first bit of a field; 0 is the least significant" }),
  ),
  bits: t.Optional(
    wholeNumber({ minimum: 1, maximum: 16, description: "bits of the field; one is a boolean" }),
  ),
  scale: t.Optional(t.Number({ description: "factor of the raw value; 1 by default" })),
  offset: t.Optional(t.Number({ description: "added after the factor; 0 by default" })),
  absent: t.Optional(t.Number({ description: "raw value that stands for no value" })),
};

export const registerBody = t.Object(
  {
    key: nameText(256, "telemetry key of the value"),
    ...registerFields,
    intervalMs: t.Optional(interval("time between two reads; that of the unit by default")),
    writable: t.Optional(t.Boolean({ description: "whether commands may write it" })),
  },
  { title: "ModbusRegister", additionalProperties: false },
);

const registers = t.Array(registerBody, { maxItems: REGISTERS_MAX });

const serialFields = t.Object(
  {
    baudRate: literals(BAUD_RATES),
    parity: literals(PARITIES),
    stopBits: literals(STOP_BIT_COUNTS),
  },
  { title: "SerialPort" },
);

const connectionFields = {
  enabled: t.Optional(t.Boolean({ description: "true by default" })),
  port: t.Optional(wholeNumber({ minimum: 1, maximum: 65_535, description: "502 by default" })),
  framing: t.Optional(
    literals(MODBUS_FRAMINGS, {
      description:
        "TCP, the default; RTU: frames of a serial line behind a device server; SERIAL: a serial port of the gateway",
    }),
  ),
  serial: t.Optional(
    t.Union([serialFields, t.Null()], {
      description: "settings of the serial port; 9,600 baud, no parity and one stop bit by default",
    }),
  ),
  timeoutMs: t.Optional(
    wholeNumber({ minimum: 50, maximum: 60_000, description: "time for an answer; 2,000 by default" }),
  ),
  pauseMs: t.Optional(
    wholeNumber({ minimum: 0, maximum: 10_000, description: "pause between two requests; 0 by default" }),
  ),
};
const host = t.String({
  minLength: 1,
  maxLength: 253,
  description: "IP address or host name; path of the port for SERIAL",
});

export const NEEDS_ALL = "403 without access to all devices.";

export const createConnectionBody = t.Object(
  { name: nameText(100), host, ...connectionFields },
  { title: "CreateModbusConnection" },
);
export const updateConnectionBody = t.Object(
  { name: t.Optional(nameText(100)), host: t.Optional(host), ...connectionFields },
  { title: "UpdateModbusConnection" },
);

const unitFields = {
  unitId: t.Optional(unitNumber),
  intervalMs: t.Optional(interval("time between two reads; 10,000 by default")),
  wordsMax: t.Optional(
    wholeNumber({
      minimum: 1,
      maximum: READ_WORDS_MAX,
      description: "registers that one request may read; 125 by default",
    }),
  ),
  gapMax: t.Optional(
    wholeNumber({
      minimum: 0,
      maximum: READ_WORDS_MAX,
      description: "registers between two others that are read as well; 8 by default",
    }),
  ),
  registers: t.Optional(registers),
};

export const createUnitBody = t.Object(
  { deviceId: t.String({ maxLength: 64, description: "device that gets the values" }), ...unitFields },
  { title: "CreateModbusUnit" },
);
export const updateUnitBody = t.Object(unitFields, { title: "UpdateModbusUnit" });

const nullableText = t.Union([textSchema, t.Null()]);

export const connectionBody = t.Object(
  {
    connectionId: t.String(),
    name: t.String(),
    enabled: t.Boolean(),
    host: t.String(),
    port: t.Integer(),
    framing: choice(MODBUS_FRAMINGS),
    serial: t.Union([serialFields, t.Null()], { description: "settings of the port for SERIAL" }),
    timeoutMs: t.Integer(),
    pauseMs: t.Integer(),
    units: t.Integer({ description: "number of units" }),
    state: t.Object(
      {
        status: choice(CONNECTION_STATES, { description: "waiting: until the next attempt" }),
        since: isoTime,
        problem: nullableText,
        nextAttemptAt: isoTimeOrNull,
      },
      { title: "ModbusConnectionState" },
    ),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "ModbusConnection" },
);

export const unitBody = t.Object(
  {
    modbusUnitId: t.String(),
    connectionId: t.String(),
    deviceId: t.String(),
    deviceName: t.String(),
    unitId: t.Integer(),
    intervalMs: t.Integer(),
    wordsMax: t.Integer(),
    gapMax: t.Integer(),
    registers: t.Array(registerBody),
    health: t.Object(
      {
        lastReadAt: isoTimeOrNull,
        lastError: nullableText,
        lastErrorAt: isoTimeOrNull,
        answered: t.Integer({ description: "requests that were answered since the gateway started" }),
        failed: t.Integer({ description: "reads that got no answer since the gateway started" }),
        values: t.Array(
          t.Object({ key: t.String(), value: t.Union([t.Number(), t.String(), t.Boolean()]) }),
          { description: "newest values" },
        ),
        refused: t.Array(t.Object({ key: t.String(), exceptionCode: t.Integer() }), {
          description: "registers that the device refuses to read; they are tried again after ten minutes",
        }),
      },
      { title: "ModbusUnitHealth" },
    ),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "ModbusUnit" },
);

export const readBody = t.Object(
  {
    unitId: unitNumber,
    area: literals(REGISTER_AREAS),
    address: addressNumber,
    count: wholeNumber({ minimum: 1, maximum: READ_WORDS_MAX }),
  },
  { title: "ReadModbusRegisters" },
);

export const readAnswerBody = t.Object(
  {
    area: choice(REGISTER_AREAS),
    address: t.Integer(),
    values: t.Array(t.Integer(), { description: "words 0–65535, or bits 0 and 1, from the address on" }),
  },
  { title: "ModbusRegisters" },
);

export const registerMapBody = t.Object(
  {
    csv: t.String({
      minLength: 1,
      maxLength: 65_536,
      description:
        "a line with the names of the columns, then a line for each register; the columns have the names of the fields of a register",
    }),
  },
  { title: "ModbusRegisterMapCsv" },
);

export const registerMapAnswerBody = t.Object(
  {
    registers: t.Array(registerBody),
    problems: t.Array(t.Object({ line: t.Integer(), problem: textSchema }), {
      description: "lines that are no register",
    }),
  },
  { title: "ModbusRegisterMap" },
);

export const templateBody = t.Object(
  {
    templateId: t.String(),
    name: t.String(),
    vendor: t.String(),
    kind: choice(["METER", "DRIVE", "PLC", "INVERTER", "SENSOR"]),
    source: t.String({ description: "document of the vendor that describes the registers" }),
    registers: t.Array(registerBody),
  },
  { title: "ModbusTemplate" },
);
