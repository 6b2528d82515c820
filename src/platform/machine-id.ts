import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Every user can read these: the gateway and commands of root see the same. The second one is the serial number of a single-board computer. */
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
 * Returns a hash of what tells this machine from others with a copy of the same data; `undefined` if the machine has nothing of that kind, as in
 * most containers. The machine's own id stays secret (man 5 machine-id).
 */
export function machineIdOf(sources: readonly string[] = SOURCES): string | undefined {
  const found = sources.map(read);
  if (found.every((text) => text === "")) return undefined;
  return createHash("sha256")
    .update(["lineside backup", ...found].join("\n"))
    .digest("hex")
    .slice(0, ID_DIGITS);
}
