import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { pythonPeer } from "./peers.ts";

/** Python with bacpypes3, or null. */
export const pythonOfBacpypes = pythonPeer("bacpypes3");

/** A device of bacpypes3; bacnet_simulator.py lists its objects. */
export async function startBacnetSimulator(instance: number) {
  const port = await freePort();
  const command = [
    pythonOfBacpypes ?? "",
    join(import.meta.dir, "bacnet_simulator.py"),
    String(port),
    String(instance),
  ];
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
    port,
    /** Sets a property of the object with this name. */
    async set(name: string, property: string, value: unknown) {
      running.child.stdin.write(`${JSON.stringify([name, property, value])}\n`);
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
