import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inEnglish } from "../../../src/lib/core/domain-error.ts";
import { absentValueOf, decodeRegister } from "../../../src/lib/modbus/register-values.ts";
import type { ModbusRegister } from "../../../src/modules/modbus/modbus.types.ts";
import { readRegisterMap } from "../../../src/modules/modbus/register-map.ts";
import { writeRegister } from "../../../src/modules/modbus/register-writing.ts";
import { endLines, good, registersAt, run, server, unitOf } from "../../support/modbus-line.ts";
import { exceptionOf, responseFrame } from "../../support/modbus-server.ts";
import { until } from "../../support/until.ts";

/** Devices of the field that bend the protocol, and values as their manuals print them. */

afterEach(endLines);

describe("a marker for no value", () => {
  test("is read as manuals print it", async () => {
    const { entries: registers, problems } = await readRegisterMap(
      "key;area;address;type;absent;scale\np;holding;30775;INT32;0x80000000;0.1\nq;holding;1;INT16;32768;1",
    );
    expect(problems).toEqual([]);
    const [p, q] = registers as [ModbusRegister, ModbusRegister];
    expect(decodeRegister(p, [0x8000, 0])).toBeUndefined();
    expect(decodeRegister(p, [0, 215])).toBe(21.5);
    expect(decodeRegister(q, [0x8000])).toBeUndefined();
  });

  test.each([
    ["INT16", 65_536],
    ["INT16", -32_769],
    ["UINT16", 1.5],
    ["INT32", 0x1_0000_0000],
    ["BCD16", 10_000],
    ["UINT32", -0x8000_0001],
  ] as const)("of the type %s cannot be %d", async (type, absent) => {
    const { problems } = await readRegisterMap(`key;address;type;absent\np;1;${type};${absent}`);
    expect(problems.map(({ problem }) => problem.code)).toEqual(["modbus_rule.absent_range"]);
  });

  test.each([
    ["INT64", 0x8000_0000_0000_0000, [0x8000, 0, 0, 0]],
    ["INT64", 2 ** 64, [0xffff, 0xffff, 0xffff, 0xffff]],
    ["UINT64", 2 ** 64, [0xffff, 0xffff, 0xffff, 0xffff]],
    ["UINT16", -1, [0xffff]],
    ["UINT32", -1, [0xffff, 0xffff]],
    ["BCD16", 9_999, [0x9999]],
  ] as const)("of the type %s may be %d", (type, absent, words) => {
    const spec = { area: "HOLDING_REGISTER", address: 0, type, absent } as const;
    expect(decodeRegister(spec, words)).toBeUndefined();
  });

  test("matches the word in both ways of writing it, and no other", () => {
    const type = fc.constantFrom("INT16" as const, "UINT16" as const);
    const word = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(type, word, word, (of, marker, sent) => {
        for (const absent of [marker, marker < 0x8000 ? marker : marker - 0x1_0000]) {
          expect(absentValueOf(of, absent)).toBeDefined();
          const spec = { area: "HOLDING_REGISTER", address: 0, type: of, absent } as const;
          expect(decodeRegister(spec, [sent]) === undefined).toBe(sent === marker);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

test("an integer of 64 bits keeps its digits", () => {
  const spec = { area: "HOLDING_REGISTER", address: 0, type: "UINT64" } as const;
  expect(decodeRegister(spec, [0xffff, 0xffff, 0xffff, 0xfffe])).toBe("18446744073709551614");
  expect(decodeRegister(spec, [0, 0, 0, 42])).toBe(42);
});

describe("a device that knows only the functions for several values", () => {
  test.each([
    ["HOLDING_REGISTER", "INT16", [6, 16, 16]],
    ["COIL", "BOOL", [5, 15, 15]],
  ] as const)("is written to (%s), and asked for the other one once", async (area, type, functions) => {
    const peer = await server((request) => {
      const { functionCode, pdu } = request;
      if (functionCode === 5 || functionCode === 6)
        return responseFrame("TCP", { ...request, pdu: exceptionOf(request, 1) });
      if (functionCode > 6) return responseFrame("TCP", { ...request, pdu: pdu.subarray(0, 5) });
      return responseFrame("TCP", { ...request, pdu: exceptionOf(request, 2) });
    });
    const line = run(peer, { units: [] });
    await until(() => line.runner.state.status === "connected");
    const register = { key: "r", area, address: 7, type, writable: true } as ModbusRegister;
    for (let time = 0; time < 2; time++)
      expect(
        await line.runner.perform((connection) => writeRegister(connection, 1, { register, words: [1] })),
      ).toEqual({ r: null });
    const written = peer.requests.map(({ functionCode }) => functionCode).filter((code) => code > 4);
    expect(written).toEqual([...functions]);
  });
});

test("an exception has nine bytes whatever its header says", async () => {
  const peer = await server((request) => {
    if (request.address !== 500) return good()(request);
    const frame = Buffer.from(responseFrame("TCP", { ...request, pdu: exceptionOf(request, 2) }));
    frame.writeUInt16BE(4, 4);
    return frame;
  });
  const line = run(peer, { units: [unitOf({ registers: registersAt(0, 500, 1_000) })] });
  await until(() => line.stored.length >= 3);
  expect(line.stored.at(-1)?.values).toEqual({ r0: 0, r1000: 1_000 });
  expect([...(line.health()?.refused.keys() ?? [])]).toEqual(["r500"]);
  expect(new Set(peer.requests.map(({ connection }) => connection)).size).toBe(1);
});

test("an answer with another transaction number is not silence", async () => {
  const peer = await server((request) => {
    const frame = Buffer.from(good()(request) ?? []);
    frame.writeUInt16BE(request.transaction + 100, 0);
    return frame;
  });
  const line = run(peer, { units: [unitOf()], timeoutMs: 50 });
  const errorShown = () => {
    const error = line.health()?.lastError;
    return error == null ? "" : inEnglish(error);
  };
  // On a slow machine, the first answers come too late.
  await until(() => !["", "Unit 1 did not answer within 50 ms."].includes(errorShown()));
  expect(errorShown()).toContain("another transaction number");
});

test("the echo of a line is not an answer", async () => {
  const peer = await server((request) => {
    const sent = responseFrame("RTU", request);
    const isWrite = request.functionCode === 6;
    const response = isWrite ? sent : (good("RTU")(request) ?? Uint8Array.of());
    // In pieces, as a serial line brings it.
    request.socket.write(sent.subarray(0, 3));
    return Uint8Array.of(...sent.subarray(3), ...response);
  }, "RTU");
  const line = run(peer, { units: [unitOf({ registers: registersAt(7, 500) })], framing: "RTU" });
  await until(() => line.stored.length >= 2);
  expect(line.stored[0]?.values).toEqual({ r7: 7, r500: 500 });
  const register = { ...registersAt(7)[0], writable: true } as ModbusRegister;
  for (let time = 0; time < 2; time++)
    expect(
      await line.runner.perform((connection) => writeRegister(connection, 1, { register, words: [42] })),
    ).toEqual({ r7: 7 });
  expect(line.health()).toMatchObject({ lastError: null });
});
