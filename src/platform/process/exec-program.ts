import { FFIType, ptr } from "bun:ffi";
import { openLibc } from "./libc.ts";
import { StartupError } from "./startup-error.ts";

const toCString = (text: string) => Buffer.from(`${text}\0`);

/** Returns a null-terminated array of pointers to the strings, which must outlive it. */
function pointersTo(strings: readonly Buffer[]): BigUint64Array<ArrayBuffer> {
  return new BigUint64Array([...strings.map((string) => BigInt(ptr(string))), 0n]);
}

/**
 * Replaces this process with another program (`execve`), which keeps only the process id and the standard streams. The kernel closes all other
 * resources as if the process were killed. Returns only with an error.
 * @throws StartupError if the program cannot be run
 */
export function execProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): never {
  const libc = openLibc({
    execve: { args: [FFIType.ptr, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  });
  const path = toCString(program);
  const argv = [program, ...args].map(toCString);
  const envp = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [toCString(`${name}=${value}`)],
  );
  const [argvPointers, envPointers] = [pointersTo(argv), pointersTo(envp)];
  libc?.execve(ptr(path), ptr(argvPointers), ptr(envPointers));
  throw new StartupError(`${program} cannot be run in place of this process.`);
}
