import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * World-readable files, so that the gateway and commands of root get the same id. The second file is the serial number of a single-board computer.
 */
const SOURCES = ["/etc/machine-id", "/proc/device-tree/serial-number"];
const ID_DIGITS = 32;

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/[\s\0]+/g, "");
  } catch {
    return "";
  }
}

/**
 * Returns a hash that distinguishes this machine from others with a copy of the same data; undefined if the machine has no id, like most containers.
 * The hash keeps the machine id confidential (man 5 machine-id).
 */
export function machineIdOf(sources: readonly string[] = SOURCES): string | undefined {
  const found = sources.map(read);
  if (found.every((text) => text === "")) return undefined;
  return createHash("sha256")
    .update(["lineside backup", ...found].join("\n"))
    .digest("hex")
    .slice(0, ID_DIGITS);
}
