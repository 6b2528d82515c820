import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { StartupError } from "../process/startup-error.ts";
import { storageFaultOf } from "./storage-fault.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const modes = {
  read: O_RDONLY,
  write: O_RDWR,
  append: O_WRONLY | O_APPEND | O_CREAT,
  create: O_RDWR | O_CREAT,
  createNew: O_RDWR | O_CREAT | O_EXCL,
} as const;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

/** Returns whether an error means that one file is unreadable, while others may be intact. */
export const isUnreadableFile = (error: unknown): boolean => storageFaultOf(error) === "unreadable";

/** Texts by error code of opening a link, or a pipe without a reader. */
const problems: Readonly<Record<string, string>> = { ELOOP: "is a link", ENXIO: "is not a file" };

/**
 * Opens a file of the data directory, but no target of a link, and no pipe or device, which would block. Returns the descriptor.
 * @throws StartupError that names the object in the place of the file, or the error of the system
 */
export function openOwnFile(path: string, mode: keyof typeof modes): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, modes[mode] | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const problem = problems[String(codeOf(error))];
    throw problem === undefined ? error : misplaced(path, problem);
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw misplaced(path, "is not a file");
}

const misplaced = (path: string, problem: string) =>
  new StartupError(`${path} ${problem}, but a file belongs there. Move it away, then try again.`);

/** Reads a file of the data directory; undefined if there is none. @throws like `openOwnFile` */
export function readOwnFile(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openOwnFile(path, "read");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    return naming(path, () => readFileSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** Runs work on a file, and adds the name of the file to its errors. Errors of reading a descriptor lack it. */
export function naming<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && !("path" in error)) Object.assign(error, { path });
    throw error;
  }
}

/** Reads a file whose loss costs no data: null if the disk cannot read it, as for a damaged file. Otherwise like `readOwnFile`. */
export function readExpendableFile(path: string): Buffer | null | undefined {
  try {
    return readOwnFile(path);
  } catch (error) {
    if (isUnreadableFile(error)) return null;
    throw error;
  }
}

/** Writes a file that is renamed afterwards. Replaces leftovers of an interrupted attempt and planted files. */
export function writeNewFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, flush = false } = {},
): void {
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode, flush, flag: "wx" });
}

/** Writes all bytes at a position. On a full disk, a single write may write only some of them without an error. */
export function writeWhole(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
}
