import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModbusFraming } from "../../src/lib/modbus/modbus-lists.ts";
import { freePort } from "./free-port.ts";

const python = "/usr/bin/python3";

/** Whether pymodbus is installed. */
export const hasPymodbus = Bun.spawnSync([python, "-c", "import pymodbus"], { stderr: "ignore" }).success;
if (!hasPymodbus && process.env.CI) throw new Error("python3-pymodbus must be installed in CI");

export interface ModbusSimulator {
  readonly port: number;
  /** Path of its serial port. */
  readonly path: string;
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** A Modbus server of pymodbus. Its units are 1 and 2; modbus_simulator.py lists their registers. */
export async function startModbusSimulator(framing: ModbusFraming): Promise<ModbusSimulator> {
  const port = await freePort();
  const path = join(tmpdir(), `lineside-port-${port}`);
  const script = join(import.meta.dir, "modbus_simulator.py");
  const launch = async () => {
    const child = Bun.spawn(
      [python, script, framing === "SERIAL" ? path : String(port), framing.toLowerCase()],
      {
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const { value } = await child.stdout.getReader().read();
    if (value === undefined) throw new Error(await new Response(child.stderr).text());
    return child;
  };
  let child = await launch();
  return {
    port,
    path,
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
    async start() {
      child = await launch();
    },
  };
}
