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
import { choice, literals, nameText, wholeNumber } from "../api/wire.schemas.ts";
import {
  connectionItem,
  deviceField,
  enabledField,
  entryFields,
  entryKey,
  hostField,
  mapBody,
  mapProblems,
  portField,
  timeoutField,
  unitHealth,
  unitInterval,
  unitItem,
} from "../field/field.schemas.ts";

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
    key: entryKey,
    ...registerFields,
    ...entryFields,
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
  enabled: enabledField,
  port: portField(502),
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
  timeoutMs: timeoutField,
  pauseMs: t.Optional(
    wholeNumber({ minimum: 0, maximum: 10_000, description: "pause between two requests; 0 by default" }),
  ),
};
const host = hostField("IP address or host name; path of the port for SERIAL");

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
  intervalMs: t.Optional(unitInterval),
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
  { deviceId: deviceField, ...unitFields },
  { title: "CreateModbusUnit" },
);
export const updateUnitBody = t.Object(unitFields, { title: "UpdateModbusUnit" });

export const connectionBody = connectionItem("ModbusConnection", {
  framing: choice(MODBUS_FRAMINGS),
  serial: t.Union([serialFields, t.Null()], { description: "settings of the port for SERIAL" }),
  pauseMs: t.Integer(),
});

export const unitBody = unitItem("ModbusUnit", {
  modbusUnitId: t.String(),
  unitId: t.Integer(),
  wordsMax: t.Integer(),
  gapMax: t.Integer(),
  registers: t.Array(registerBody),
  health: unitHealth("ModbusUnitHealth", {
    refused: t.Object({ key: t.String(), exceptionCode: t.Integer() }),
    description: "registers that the device refuses to read; they are tried again after ten minutes",
    notes: "registers whose words are not a number, and not the marker for no value; they are not stored",
  }),
});

export const readBody = t.Object(
  {
    unitId: unitNumber,
    area: literals(REGISTER_AREAS),
    address: addressNumber,
    count: wholeNumber({ minimum: 1, maximum: READ_WORDS_MAX }),
  },
  { title: "ReadModbusRegisters" },
);

export const readResponseBody = t.Object(
  {
    area: choice(REGISTER_AREAS),
    address: t.Integer(),
    values: t.Array(t.Integer(), { description: "words 0–65535, or bits 0 and 1, from the address on" }),
  },
  { title: "ModbusRegisters" },
);

export const registerMapBody = mapBody(
  "ModbusRegisterMapCsv",
  "a line with the names of the columns, then a line for each register; the columns have the names of the fields of a register",
);

export const registerMapResponseBody = t.Object(
  {
    registers: t.Array(registerBody),
    problems: mapProblems("lines that are not registers"),
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
