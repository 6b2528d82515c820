import { FFIType } from "bun:ffi";
import { openLibc } from "./libc.ts";

/**
 * Ends the process as if it were killed. `process.exit` would checkpoint every open database in every thread, and the next start would report the
 * acknowledged changes in the logs as lost.
 */
export function endProcess(code: number): never {
  openLibc({ _exit: { args: [FFIType.i32], returns: FFIType.void } })?._exit(code);
  return process.exit(code);
}
