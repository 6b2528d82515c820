import { afterEach, describe, expect, test } from "bun:test";
import type { ModbusRegister } from "../../../src/modules/modbus/modbus.types.ts";
import { writeRegister } from "../../../src/modules/modbus/register-writing.ts";
import { endLines, good, registersAt, run, server, unitOf } from "../../support/modbus-line.ts";
import { exceptionOf, responseFrame, type ServerRequest } from "../../support/modbus-server.ts";
import { until } from "../../support/until.ts";

afterEach(endLines);

describe("a command", () => {
  const register: ModbusRegister = { ...registersAt(7)[0], writable: true } as ModbusRegister;
  const write = ({ runner }: ReturnType<typeof run>) =>
    runner.perform((connection) => writeRegister(connection, 1, { register, words: [42] }));
  const echo = (request: ServerRequest) => responseFrame("TCP", { ...request, pdu: request.pdu });

  test("answers with what the device has afterwards", async () => {
    const peer = await server((request) => (request.functionCode === 6 ? echo(request) : good()(request)));
    const line = run(peer, { units: [] });
    await until(() => line.runner.state.status === "connected");
    expect(await write(line)).toEqual({ r7: 7 });
  });

  test("goes between two requests of a unit, which is read whole nevertheless", async () => {
    const waiting: (() => void)[] = [];
    const response = (request: ServerRequest) =>
      request.functionCode === 6 ? echo(request) : good()(request);
    const peer = await server((request) => {
      waiting.push(() => request.socket.write(response(request) ?? Uint8Array.of()));
      return undefined;
    });
    const units = [unitOf({ registers: registersAt(0, 500, 1_000), intervalMs: 60_000 })];
    const line = run(peer, { units, timeoutMs: 60_000 });
    await until(() => waiting.length === 1);
    const written = write(line);
    for (let count = 1; count <= 5; count++) {
      await until(() => waiting.length === 1);
      waiting.shift()?.();
    }
    expect(await written).toEqual({ r7: 7 });
    await until(() => line.stored.length === 1);
    expect(peer.requests.map(({ functionCode, address }) => `${functionCode}:${address}`)).toEqual([
      "3:0",
      "6:7",
      "3:7",
      "3:500",
      "3:1000",
    ]);
    expect(line.stored[0]?.values).toEqual({ r0: 0, r500: 500, r1000: 1_000 });
  });

  test("that gets no answer on a serial line is no fault of the unit that is read", async () => {
    const waiting: (() => void)[] = [];
    const peer = await server((request) => {
      if (request.unitId === 9 || waiting.length > 0)
        return request.unitId === 9 ? undefined : good("RTU")(request);
      waiting.push(() => request.socket.write(good("RTU")(request) ?? Uint8Array.of()));
      return undefined;
    }, "RTU");
    const units = [unitOf({ registers: registersAt(0, 500) })];
    const line = run(peer, { units, framing: "RTU", timeoutMs: 300 });
    await until(() => waiting.length === 1);
    const asked = line.runner.perform((connection) => writeRegister(connection, 9, { register, words: [1] }));
    waiting[0]?.();
    expect(await asked.catch(({ code }) => code)).toBe("modbus.no_response");
    await until(() => line.stored.some(({ values }) => "r500" in values));
    expect(line.health()).toMatchObject({ failed: 0, lastError: null });
  });

  test("succeeds without a value where the register can only be written", async () => {
    const peer = await server((request) =>
      request.functionCode === 6
        ? echo(request)
        : responseFrame("TCP", { ...request, pdu: exceptionOf(request, 2) }),
    );
    const line = run(peer, { units: [] });
    await until(() => line.runner.state.status === "connected");
    expect(await write(line)).toEqual({ r7: null });
  });

  test("succeeds without a value where reading it back gets no answer", async () => {
    const peer = await server((request) => (request.functionCode === 6 ? echo(request) : undefined));
    const line = run(peer, { units: [] });
    await until(() => line.runner.state.status === "connected");
    expect(await write(line)).toEqual({ r7: null });
  });

  test("fails once when the connection goes away in the middle, and is not sent again", async () => {
    const peer = await server((request) => {
      if (request.functionCode === 6) request.socket.destroy();
      return good()(request);
    });
    const line = run(peer, { units: [] });
    await until(() => line.runner.state.status === "connected");
    expect(await write(line).catch(({ code }) => code)).toBe("ECONNRESET");
    await until(() => peer.connections === 2);
    expect(peer.requests.filter(({ functionCode }) => functionCode === 6)).toHaveLength(1);
  });
});
