import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { pythonPeer } from "./peers.ts";
import { startSimulator } from "./simulator.ts";

/** Python with python-snap7, or null. */
export const pythonOfSnap7 = pythonPeer("snap7");

/** A controller of python-snap7; s7_simulator.py lists its memory. */
export async function startS7Simulator(ownPort?: number) {
  const port = ownPort ?? (await freePort());
  const script = join(import.meta.dir, "s7_simulator.py");
  const simulator = await startSimulator([pythonOfSnap7 ?? "", script, String(port)]);
  return {
    ...simulator,
    port,
    /** Writes bytes of a data block, given in hexadecimal digits. */
    set: (block: number, byte: number, hex: string) => simulator.send(`${block} ${byte} ${hex}`),
  };
}
