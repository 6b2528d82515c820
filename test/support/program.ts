import { join } from "node:path";

/** Command of the program: the compiled program where there is one, because it starts in less than half the time and is what people run. */
export const PROGRAM: readonly string[] =
  process.env.TESTED_BINARY === undefined
    ? [process.execPath, join(import.meta.dir, "..", "..", "src", "main.ts")]
    : [process.env.TESTED_BINARY];
