import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { pythonPeer } from "./peers.ts";
import { startSimulator } from "./simulator.ts";

/** Python with asyncua, or null. */
export const pythonOfAsyncua = pythonPeer("asyncua");

/** A server of asyncua; opcua_simulator.py lists its variables and users. */
export async function startOpcUaSimulator() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "lineside-opcua-"));
  const script = join(import.meta.dir, "opcua_simulator.py");
  const simulator = await startSimulator([pythonOfAsyncua ?? "", script, String(port), folder]);
  return {
    ...simulator,
    port,
    set: (name: string, value: unknown) => simulator.send(`${name} ${JSON.stringify(value)}`),
    /** Gives a variable a status and no value. */
    setStatus: (name: string, status: number) => simulator.send(`status ${name} ${status}`),
    /** Makes a new certificate and starts again. */
    async renew() {
      await simulator.kill();
      rmSync(join(folder, "certificate.der"), { force: true });
      rmSync(join(folder, "key.pem"), { force: true });
      await simulator.start();
    },
    async end() {
      await simulator.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
