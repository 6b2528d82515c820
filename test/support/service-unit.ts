import { readFileSync } from "node:fs";

/** What a unit file for systemd says: the values of each key in their order. */
export class ServiceUnit {
  readonly text: string;

  constructor(path: string) {
    this.text = readFileSync(path, "utf8");
  }

  all(key: string): string[] {
    return [...this.text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  }

  has(key: string, value: string): boolean {
    return this.all(key).includes(value);
  }

  /** Returns the system calls that the unit allows. An empty list where it allows all. */
  systemCalls(): string[] {
    const allowed = new Set<string>();
    for (const line of this.all("SystemCallFilter")) {
      const names = line.replace(/^~/, "").split(/\s+/).flatMap(expand);
      for (const name of names) {
        if (line.startsWith("~")) allowed.delete(name);
        else allowed.add(name);
      }
    }
    return [...allowed];
  }
}

/** Returns the system calls of a set such as `@system-service`, sets within it included, as this machine's systemd knows it. */
function expand(name: string): string[] {
  if (!name.startsWith("@")) return [name];
  const { stdout } = Bun.spawnSync(["systemd-analyze", "syscall-filter", name], {
    env: { PATH: process.env.PATH ?? "", SYSTEMD_COLORS: "0" },
  });
  return stdout
    .toString()
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== name && !line.startsWith("#"))
    .flatMap(expand);
}
