import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { crc16, createFrameCodec } from "../../../src/lib/modbus/modbus-frames.ts";
import {
  ensureWritten,
  ModbusException,
  ModbusProtocolError,
  readRequest,
  readResponse,
  writeRequest,
} from "../../../src/lib/modbus/modbus-pdu.ts";

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const hex = (data: Uint8Array) => Buffer.from(data).toString("hex");

test("the checksum of a frame is that of the specification", () => {
  expect(crc16(bytes("01 03 00 00 00 0a"))).toBe(0xcdc5);
  expect(crc16(bytes("02 07"))).toBe(0x1241);
});

test("requests have the bytes of the specification", () => {
  expect(hex(readRequest({ area: "HOLDING_REGISTER", address: 107, count: 3 }))).toBe("03006b0003");
  expect(hex(readRequest({ area: "DISCRETE_INPUT", address: 196, count: 22 }))).toBe("0200c40016");
  expect(hex(writeRequest("COIL", 172, [1]))).toBe("0500acff00");
  expect(hex(writeRequest("HOLDING_REGISTER", 1, [3]))).toBe("0600010003");
  expect(hex(writeRequest("COIL", 19, [1, 0, 1, 1, 0, 0, 1, 1, 1, 0]))).toBe("0f0013000a02cd01");
  expect(hex(writeRequest("HOLDING_REGISTER", 1, [0x0a, 0x0102]))).toBe("100001000204000a0102");
  expect(() => writeRequest("INPUT_REGISTER", 1, [3])).toThrow(RangeError);
});

test("answers are read as the specification shows them", () => {
  expect(
    readResponse({ area: "HOLDING_REGISTER", address: 107, count: 3 }, bytes("03 06 022b 0000 0064")),
  ).toEqual([555, 0, 100]);
  expect(readResponse({ area: "COIL", address: 0, count: 10 }, bytes("01 02 cd 01"))).toEqual([
    1, 0, 1, 1, 0, 0, 1, 1, 1, 0,
  ]);
});

test("an exception, another function and a wrong length are told apart", () => {
  const range = { area: "INPUT_REGISTER", address: 0, count: 2 } as const;
  expect(() => readResponse(range, bytes("84 02"))).toThrow(ModbusException);
  for (const response of ["03 04 0000 0000", "04 02 0000", "04 04 0000 00", "", "84"].slice(0, 4))
    expect(() => readResponse(range, bytes(response))).toThrow(ModbusProtocolError);
  const write = writeRequest("HOLDING_REGISTER", 1, [3]);
  expect(() => ensureWritten(write, bytes("06 0002 0003"))).toThrow(ModbusProtocolError);
  ensureWritten(write, bytes("06 0001 0003"));
});

describe.each(["TCP", "RTU"] as const)("frames of %s", (framing) => {
  const response = fc.oneof(
    fc.uint8Array({ minLength: 2, maxLength: 250 }).map((data) => Uint8Array.from([3, data.length, ...data])),
    fc.constant(bytes("83 02")),
    fc.constant(bytes("10 0001 0002")),
  );
  const frame = fc.record({
    transaction: framing === "TCP" ? fc.nat(0xffff) : fc.constant(0),
    unitId: fc.nat(255),
    pdu: response,
  });

  test("are put together from pieces of any size", () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 4 }),
        fc.array(fc.nat(30), { maxLength: 80 }),
        (frames, cuts) => {
          const codec = createFrameCodec(framing);
          const all = Buffer.concat(frames.map((item) => codec.encode(item)));
          const found: unknown[] = [];
          let position = 0;
          for (const size of [...cuts, all.length]) {
            codec.add(all.subarray(position, position + size));
            position += size;
            for (let next = codec.next(); next !== undefined; next = codec.next())
              found.push({ ...next, pdu: Uint8Array.from(next.pdu) });
          }
          expect(found).toEqual(frames);
        },
      ),
    );
  });

  test("that are anything else are refused or waited for, and never loop", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (noise) => {
        const codec = createFrameCodec(framing);
        codec.add(noise);
        try {
          while (codec.next() !== undefined);
        } catch (error) {
          expect(error).toBeInstanceOf(ModbusProtocolError);
        }
      }),
    );
  });
});
