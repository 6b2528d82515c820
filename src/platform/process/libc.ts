import { dlopen, type FFIFunction, type Library } from "bun:ffi";
import { existsSync, readdirSync } from "node:fs";

const muslNames = () =>
  existsSync("/lib") ? readdirSync("/lib").filter((name) => name.startsWith("libc.musl-")) : [];

/** Opens functions of the C library of this machine, glibc or musl; undefined if neither is found. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | undefined {
  for (const name of ["libc.so.6", ...muslNames()]) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // The machine has another C library.
    }
  }
  return undefined;
}
