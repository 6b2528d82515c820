import { exceptionOf, responseFrame, type Script } from "../support/modbus-server.ts";

/** Readings of an Eastron SDM120 by the address of their input registers, each a 32-bit float. */
const READINGS = new Map([
  [0, 230.5],
  [6, 1.25],
  [12, 287.5],
  [18, 288.125],
  [24, 18.75],
  [30, 0.9975],
  [70, 50],
  [72, 1234.5],
  [74, 0],
]);

/** An Eastron SDM120, whose unused registers are 0. */
export const meterScript: Script = (request) => {
  const { functionCode, address, count } = request;
  const words = Buffer.alloc(count * 2);
  for (const [first, value] of READINGS)
    if (first >= address && first + 2 <= address + count) words.writeFloatBE(value, (first - address) * 2);
  const pdu =
    functionCode === 4 ? Uint8Array.of(functionCode, words.length, ...words) : exceptionOf(request, 1);
  return responseFrame("TCP", { ...request, pdu });
};
