import { readFileSync, realpathSync } from "node:fs";
import { StartupError } from "../process/startup-error.ts";

interface MountFiles {
  /** What the machine mounts when it starts. */
  readonly expected: string;
  readonly mounted: string;
}

/** Returns the fields of all lines except comments. A space in a path is written as `\040` (man 5 fstab). */
function rowsOf(path: string): string[][] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => !line.trimStart().startsWith("#"))
      .map((line) =>
        line
          .trim()
          .split(/\s+/)
          .map((field) =>
            field.replaceAll(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8))),
          ),
      );
  } catch {
    return []; // not on Linux
  }
}

const normalized = (point = ""): string =>
  point.length > 1 && point.endsWith("/") ? point.slice(0, -1) : point;

/**
 * Returns the mount point, at a path or above it, of a disk that the machine mounts when it starts and that is not mounted now; undefined if there is
 * none. The path is an absolute one without links.
 */
export function unmountedPointOf(
  path: string,
  { expected, mounted }: MountFiles = { expected: "/etc/fstab", mounted: "/proc/self/mounts" },
): string | undefined {
  const points = new Set(rowsOf(mounted).map(([, point]) => normalized(point)));
  return rowsOf(expected)
    .filter(([, , , settings = ""]) => !settings.split(",").includes("noauto"))
    .map(([, point]) => normalized(point))
    .find((point) => point.length > 1 && !points.has(point) && `${path}/`.startsWith(`${point}/`));
}

/** Refuses a directory without data on a disk that is not mounted: the data may be on it, and what is written now is hidden later. @throws StartupError */
export function ensureMounted(path: string): void {
  const point = unmountedPointOf(realpathSync(path));
  if (point === undefined) return;
  throw new StartupError(
    `${path} has no data, and the disk of ${point} is not mounted, although /etc/fstab names it. Mount the disk, or choose another directory with --data.`,
  );
}
