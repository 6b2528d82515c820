import { renameSync, rmSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { readOwnFile, writeNewFile } from "../files/data-file.ts";

/** File in the data directory while the gateway runs. Commands on the same machine find its address there, without its settings. */
const FILE = "gateway.json";

export interface GatewayAddress {
  readonly url: string;
  /** PEM certificate of an `https:` address. It may be of any authority and for other names. */
  readonly certificate?: string | undefined;
}

/** Returns the URL at which a program on this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number, scheme: "http" | "https" = "http"): string {
  const reached = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${scheme}://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

export function writeGatewayAddress(directory: string, address: GatewayAddress): void {
  const file = join(directory, FILE);
  writeNewFile(`${file}.new`, `${JSON.stringify({ ...address, pid: process.pid })}\n`);
  renameSync(`${file}.new`, file);
}

export const removeGatewayAddress = (directory: string): void =>
  rmSync(join(directory, FILE), { force: true });

/** Returns the process id that a gateway on this data directory has written. After a crash, it may belong to another process or none. */
export function readGatewayPid(directory: string): number | undefined {
  try {
    const { pid } = JSON.parse(String(readOwnFile(join(directory, FILE))));
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined; // no gateway has run here, or it belongs to another user
  }
}

/** Returns the address that a gateway on this data directory has written. After a crash, it may not respond. */
export function readGatewayAddress(directory: string): GatewayAddress | undefined {
  try {
    const { url, certificate } = JSON.parse(String(readOwnFile(join(directory, FILE))));
    if (typeof url !== "string" || !URL.canParse(url)) return undefined;
    return typeof certificate === "string" ? { url, certificate } : { url };
  } catch {
    return undefined; // no gateway has run here, or it belongs to another user
  }
}
