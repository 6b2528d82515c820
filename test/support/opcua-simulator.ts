import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { pythonPeer } from "./peers.ts";

/** Python with asyncua, or null. */
export const pythonOfAsyncua = pythonPeer("asyncua");

/** A server of asyncua; opcua_simulator.py lists its variables and users. */
export async function startOpcUaSimulator() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "lineside-opcua-"));
  const command = [pythonOfAsyncua ?? "", join(import.meta.dir, "opcua_simulator.py"), String(port), folder];
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
  const send = async (text: string) => {
    running.child.stdin.write(`${text}\n`);
    running.child.stdin.flush();
    await running.line();
  };
  return {
    port,
    set: (name: string, value: unknown) => send(`${name} ${JSON.stringify(value)}`),
    /** Gives a variable a status and no value. */
    setStatus: (name: string, status: number) => send(`status ${name} ${status}`),
    signal: (name: NodeJS.Signals) => running.child.kill(name),
    async kill() {
      running.child.kill("SIGKILL");
      await running.child.exited;
    },
    async start() {
      running = await launch();
    },
    /** Makes a new certificate and starts again. */
    async renew() {
      await this.kill();
      rmSync(join(folder, "certificate.der"), { force: true });
      rmSync(join(folder, "key.pem"), { force: true });
      await this.start();
    },
    async end() {
      await this.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
