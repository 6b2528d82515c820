// A serial port as Linux has it: a pseudo terminal, with pymodbus at the other end of the line.
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModbusRegister } from "../../../src/modules/modbus/modbus.types.ts";
import { writeRegister } from "../../../src/modules/modbus/register-writing.ts";
import { isPortPath } from "../../../src/platform/serial/serial-port.ts";
import { endLines, registersAt, run, unitOf } from "../../support/modbus-line.ts";
import { hasPymodbus, type ModbusSimulator, startModbusSimulator } from "../../support/modbus-simulator.ts";
import { until } from "../../support/until.ts";

const serial = { baudRate: 19_200, parity: "NONE", stopBits: 1 } as const;
const framing = "SERIAL" as const;
afterEach(endLines);

describe.skipIf(!hasPymodbus)("pymodbus at a serial port", () => {
  let simulator: ModbusSimulator;
  const start = async () => {
    simulator = await startModbusSimulator(framing);
    return simulator;
  };
  afterEach(async () => {
    await endLines();
    await simulator.kill();
    rmSync(simulator.path, { force: true });
  });

  test("is read and written, and a long answer arrives whole", async () => {
    const long = { key: "long", area: "HOLDING_REGISTER", address: 200, type: "STRING", length: 4 } as const;
    const { runner, stored } = run(await start(), {
      framing,
      serial,
      timeoutMs: 2_000,
      units: [unitOf({ unitId: 2, registers: [...registersAt(0, 1), long] })],
    });
    await until(() => stored.length > 1);
    expect(stored[0]?.values).toEqual({ r0: 231, r1: 0xff38, long: "PUMP-7" });
    const [register] = registersAt(10) as [ModbusRegister];
    const written = runner.perform((line) => writeRegister(line, 2, { register, words: [77] }));
    expect(await written).toEqual({ r10: 77 });
  });

  test("keeps the intervals of the others while a unit is silent", async () => {
    const units = [unitOf({ unitId: 1 }), unitOf({ unitId: 9 })];
    const { stored, health } = run(await start(), { framing, serial, timeoutMs: 200, units });
    await until(() => (health(9)?.failed ?? 0) >= 2 && stored.length >= 10);
    expect(health(9)?.lastError?.code).toBe("modbus.no_response");
    expect(stored.every(({ unitId, values }) => unitId === 1 && values.r0 === 231)).toBe(true);
  });

  test("is read again after the adapter was unplugged", async () => {
    const { runner, stored } = run(await start(), { framing, serial });
    await until(() => stored.length > 0);
    await simulator.kill();
    await until(() => runner.state.status === "waiting");
    expect(runner.state.problem?.code).toMatch(/^serial\.(lost|missing)$/);
    await until(() => runner.state.problem?.code === "serial.missing");
    const before = stored.length;
    await simulator.start();
    await until(() => stored.length > before);
  });

  test("is refused to a second connection while it is open", async () => {
    const first = run(await start(), { framing, serial });
    await until(() => first.stored.length > 0);
    const second = run(simulator, { framing, serial });
    await until(() => second.runner.state.status === "waiting");
    expect(second.runner.state.problem?.code).toBe("serial.busy");
    await first.runner.stop();
    await until(() => second.stored.length > 0);
  });
});

test("a file that is no serial port is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lineside-port-"));
  const path = join(folder, "file");
  writeFileSync(path, "");
  for (const [host, code] of [
    [path, "serial.no_port"],
    ["/dev/null", "serial.no_port"],
    [join(folder, "none"), "serial.missing"],
  ] as const) {
    const { runner } = run({ path: host }, { framing, serial });
    await until(() => runner.state.status === "waiting");
    expect(runner.state.problem?.code).toBe(code);
  }
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ["/dev/ttyUSB0", true],
  ["/dev/ttymxc3", true],
  ["/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0", true],
  ["/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0-port0", true],
  ["/dev/tty1", false],
  ["/dev/tty", false],
  ["/dev/sda", false],
  ["/dev/serial/by-id/../../sda", false],
  ["/dev/ttyUSB0\n", false],
  ["ttyUSB0", false],
])("%j is a path of a serial port: %p", (path, isOne) => {
  expect(isPortPath(path)).toBe(isOne);
});
