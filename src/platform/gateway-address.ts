import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";

/** File in the data directory while the gateway runs. Commands on the same machine find its address there, without its settings. */
const FILE = "gateway.json";

/** Returns where a program on this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const reached = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

export function writeGatewayAddress(directory: string, url: string): void {
  const file = join(directory, FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export const removeGatewayAddress = (directory: string): void =>
  rmSync(join(directory, FILE), { force: true });

/** The process that a gateway on this data directory has written; after a crash it is another one, or none. */
export function readGatewayPid(directory: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(directory, FILE), "utf8"));
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined; // no gateway has run here, or it belongs to another user
  }
}

/** The address that a gateway on this data directory has written; after a crash nothing may answer there. */
export function readGatewayAddress(directory: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(join(directory, FILE), "utf8"));
    return typeof url === "string" && URL.canParse(url) ? url : undefined;
  } catch {
    return undefined; // no gateway has run here, or it belongs to another user
  }
}
