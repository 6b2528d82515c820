import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModbusFraming } from "../../src/lib/modbus/modbus-lists.ts";
import { freePort } from "./free-port.ts";
import { startSimulator } from "./simulator.ts";

const python = "/usr/bin/python3";

/** Whether pymodbus is installed. */
export const hasPymodbus = Bun.spawnSync([python, "-c", "import pymodbus"], { stderr: "ignore" }).success;
if (!hasPymodbus && process.env.CI) throw new Error("python3-pymodbus must be installed in CI");

export type ModbusSimulator = Awaited<ReturnType<typeof startModbusSimulator>>;

/** A Modbus server of pymodbus. Its units are 1 and 2; modbus_simulator.py lists their registers. */
export async function startModbusSimulator(framing: ModbusFraming) {
  const port = await freePort();
  /** Of its serial port. */
  const path = join(tmpdir(), `lineside-port-${port}`);
  const script = join(import.meta.dir, "modbus_simulator.py");
  const own = framing === "SERIAL" ? path : String(port);
  const simulator = await startSimulator([python, script, own, framing.toLowerCase()]);
  return {
    ...simulator,
    port,
    path,
    /** Writes holding registers of unit 1. */
    set: (address: number, words: readonly number[]) => simulator.send(JSON.stringify([address, words])),
  };
}
