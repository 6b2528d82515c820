import { createServer } from "node:net";

// Below the ports that systems give to outgoing connections: one of those could be taken before the port is used.
const FIRST = 10_240;
const LAST = 32_000;
const TRIES = 100;
const handedOut = new Set<number>();

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** A port of loopback that nothing listens on just now; a process gets each port once. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error("no port is free");
}
