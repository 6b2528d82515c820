import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file system of its own. */
export interface LoopDisk {
  readonly path: string;
  /** Has the kernel give the file system up, as after an error of the disk: from then on it refuses writes. */
  abort(): void;
  unmount(): void;
}

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: "ignore" }).exitCode === 0;

/** Mounts an ext4 file system in a folder; undefined where this process may not: only root may, and not in every container. */
export function mountLoopDisk(folder: string, megabytes: number): LoopDisk | undefined {
  const [image, path] = [join(folder, "disk.img"), join(folder, "disk")];
  mkdirSync(path, { recursive: true });
  writeFileSync(image, "");
  truncateSync(image, megabytes * 1024 * 1024);
  const isMounted =
    process.getuid?.() === 0 &&
    run("mkfs.ext4", "-q", "-m", "0", image) &&
    run("mount", "-o", "loop", image, path);
  if (!isMounted) return undefined;
  return {
    path,
    abort: () => void run("mount", "-o", "remount,abort", path),
    unmount: () => void run("umount", "-l", path),
  };
}
