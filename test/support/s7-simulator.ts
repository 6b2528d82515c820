import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { pythonPeer } from "./peers.ts";

/** Python with python-snap7, or null. */
export const pythonOfSnap7 = pythonPeer("snap7");

/** A controller of python-snap7; s7_simulator.py lists its memory. */
export async function startS7Simulator(port?: number) {
  const own = port ?? (await freePort());
  const command = [pythonOfSnap7 ?? "", join(import.meta.dir, "s7_simulator.py"), String(own)];
  const launch = async () => {
    const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    const output = child.stdout.getReader();
    const line = async () => {
      const { value } = await output.read();
      if (value === undefined) throw new Error(await new Response(child.stderr).text());
    };
    await line();
    return { child, line };
  };
  let running = await launch();
  return {
    port: own,
    /** Writes bytes of a data block, given in hexadecimal digits. */
    async set(block: number, byte: number, hex: string) {
      running.child.stdin.write(`${block} ${byte} ${hex}\n`);
      running.child.stdin.flush();
      await running.line();
    },
    signal: (name: NodeJS.Signals) => running.child.kill(name),
    async kill() {
      running.child.kill("SIGKILL");
      await running.child.exited;
    },
    async start() {
      running = await launch();
    },
  };
}
