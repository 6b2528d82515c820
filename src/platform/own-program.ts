import { join } from "node:path";
import { isCompiled } from "./assets.ts";

const main = join(import.meta.dir, "..", "main.ts");

/** Returns what starts this program again, as another process: the binary itself, or Bun on the source in a checkout. */
export const ownProgram = (): readonly string[] =>
  isCompiled() ? [process.execPath] : [process.execPath, "--no-env-file", main];
