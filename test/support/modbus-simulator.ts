import { join } from "node:path";
import type { ModbusFraming } from "../../src/lib/modbus/modbus-frames.ts";
import { freePort } from "./free-port.ts";

const python = "/usr/bin/python3";

/** Whether pymodbus is installed. */
export const hasPymodbus = Bun.spawnSync([python, "-c", "import pymodbus"], { stderr: "ignore" }).success;
if (!hasPymodbus && process.env.CI) throw new Error("python3-pymodbus must be installed in CI");

export interface ModbusSimulator {
  readonly port: number;
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** A Modbus server of pymodbus. Its units are 1 and 2; modbus_simulator.py lists their registers. */
export async function startModbusSimulator(framing: ModbusFraming): Promise<ModbusSimulator> {
  const port = await freePort();
  const script = join(import.meta.dir, "modbus_simulator.py");
  const launch = async () => {
    const child = Bun.spawn([python, script, String(port), framing.toLowerCase()], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const { value } = await child.stdout.getReader().read();
    if (value === undefined) throw new Error(await new Response(child.stderr).text());
    return child;
  };
  let child = await launch();
  return {
    port,
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
    async start() {
      child = await launch();
    },
  };
}
