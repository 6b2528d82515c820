import { join } from "node:path";
import { isCompiled } from "./assets.ts";

const main = join(import.meta.dir, "..", "..", "main.ts");

/** Returns the command that starts this program again: the binary itself (`executable`), or Bun on the source in a checkout. */
export const ownProgram = (executable = process.execPath): readonly string[] =>
  isCompiled() ? [executable] : [process.execPath, "--no-env-file", main];
