import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { pythonPeer } from "./peers.ts";
import { startSimulator } from "./simulator.ts";

/** Python with bacpypes3, or null. */
export const pythonOfBacpypes = pythonPeer("bacpypes3");

/** A device of bacpypes3, behind a router if it has a route; bacnet_simulator.py lists its objects. */
export async function startBacnetSimulator(
  instance: number,
  route?: { readonly network: number; readonly mac: string },
) {
  const port = await freePort();
  const script = join(import.meta.dir, "bacnet_simulator.py");
  const way = route === undefined ? [] : [route.network, Number.parseInt(route.mac, 16)];
  const args = [port, instance, ...way].map(String);
  const simulator = await startSimulator([pythonOfBacpypes ?? "", script, ...args]);
  return {
    ...simulator,
    port,
    /** Sets a property of the object with this name. */
    set: (name: string, property: string, value: unknown) =>
      simulator.send(JSON.stringify([name, property, value])),
  };
}
