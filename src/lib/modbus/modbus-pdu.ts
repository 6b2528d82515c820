/** Requests and responses of Modbus. Source: MODBUS Application Protocol Specification V1.1b3. */

import { isBitArea, type RegisterArea } from "./modbus-lists.ts";

const readFunctions = { COIL: 1, DISCRETE_INPUT: 2, HOLDING_REGISTER: 3, INPUT_REGISTER: 4 } as const;
const WRITE_COIL = 5;
const WRITE_REGISTER = 6;
const WRITE_COILS = 15;
const WRITE_REGISTERS = 16;
const EXCEPTION_FLAG = 0x80;
const COIL_ON = 0xff00;

/** Max. words, and max. bits, per read request. */
export const READ_WORDS_MAX = 125;
export const READ_BITS_MAX = 2_000;

/** Exception code of an unsupported function. */
export const ILLEGAL_FUNCTION = 1;

/** Exception response of the device, such as 2 for an unknown address. */
export class ModbusException extends Error {
  constructor(readonly exceptionCode: number) {
    super(`Modbus exception ${exceptionCode}`);
  }
}

/** Response of the device that does not match the request. */
export class ModbusProtocolError extends Error {}

/** Range of one area. Addresses start at 0, as in the protocol: register 40001 of a manual is holding register 0. */
export interface RegisterRange {
  readonly area: RegisterArea;
  readonly address: number;
  /** Number of words or bits. */
  readonly count: number;
}

const pduOf = (functionCode: number, ...words: number[]): Uint8Array =>
  Uint8Array.from([functionCode, ...words.flatMap((word) => [word >> 8, word & 0xff])]);

export const readRequest = ({ area, address, count }: RegisterRange): Uint8Array =>
  pduOf(readFunctions[area], address, count);

/** Returns the data of a response. @throws ModbusException, ModbusProtocolError */
function dataOf(request: Uint8Array, response: Uint8Array): Uint8Array {
  const [asked = 0] = request;
  const [functionCode = 0, code = 0] = response;
  if (functionCode === (asked | EXCEPTION_FLAG)) throw new ModbusException(code);
  if (functionCode !== asked)
    throw new ModbusProtocolError(`response of function ${functionCode} to function ${asked}`);
  return response.subarray(1);
}

/**
 * Checks that a response has the function of the request and, for a read, the expected length.
 * @throws ModbusProtocolError
 */
export function ensureResponses(request: Uint8Array, response: Uint8Array): void {
  const [asked = 0, , , high = 0, low = 0] = request;
  const [functionCode = 0, bytes] = response;
  if (functionCode === (asked | EXCEPTION_FLAG)) return;
  if (functionCode !== asked)
    throw new ModbusProtocolError(`response of function ${functionCode} to function ${asked}`);
  if (asked > readFunctions.INPUT_REGISTER) return;
  const count = (high << 8) | low;
  const expected = asked <= readFunctions.DISCRETE_INPUT ? Math.ceil(count / 8) : count * 2;
  if (bytes !== expected) throw new ModbusProtocolError(`${bytes} bytes instead of ${expected}`);
}

/** Returns the words of a range, or its bits as 0 and 1. @throws ModbusException, ModbusProtocolError */
export function readResponse(range: RegisterRange, response: Uint8Array): number[] {
  const data = dataOf(readRequest(range), response);
  const isBits = isBitArea(range.area);
  const bytes = isBits ? Math.ceil(range.count / 8) : range.count * 2;
  if (data[0] !== bytes || data.length !== bytes + 1)
    throw new ModbusProtocolError(`${data.length - 1} bytes instead of ${bytes}`);
  return Array.from({ length: range.count }, (_, index) =>
    isBits
      ? ((data[1 + (index >> 3)] ?? 0) >> (index & 7)) & 1
      : ((data[1 + index * 2] ?? 0) << 8) | (data[2 + index * 2] ?? 0),
  );
}

/** Returns the request that writes words, or bits as 0 and 1, starting at an address. One value uses the function for a single value. */
export function writeRequest(area: RegisterArea, address: number, values: readonly number[]): Uint8Array {
  const [first = 0] = values;
  if (values.length !== 1) return writeManyRequest(area, address, values);
  if (area === "COIL") return pduOf(WRITE_COIL, address, first === 0 ? 0 : COIL_ON);
  if (area !== "HOLDING_REGISTER") throw new RangeError(`${area} cannot be written`);
  return pduOf(WRITE_REGISTER, address, first);
}

/** Works like `writeRequest`, with the function for several values, because some devices support no other. */
export function writeManyRequest(area: RegisterArea, address: number, values: readonly number[]): Uint8Array {
  if (area === "COIL") {
    const bytes = new Uint8Array(Math.ceil(values.length / 8));
    for (const [index, bit] of values.entries())
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | ((bit & 1) << (index & 7));
    return Uint8Array.from([...pduOf(WRITE_COILS, address, values.length), bytes.length, ...bytes]);
  }
  if (area !== "HOLDING_REGISTER") throw new RangeError(`${area} cannot be written`);
  return Uint8Array.from([
    ...pduOf(WRITE_REGISTERS, address, values.length),
    values.length * 2,
    ...pduOf(0, ...values).subarray(1),
  ]);
}

/** @throws ModbusException, ModbusProtocolError */
export function ensureWritten(request: Uint8Array, response: Uint8Array): void {
  const data = dataOf(request, response);
  if (!Buffer.from(data).equals(request.subarray(1, 5)))
    throw new ModbusProtocolError("the response to a write names other registers");
}
