/** Limits of a script. docs/script-limits.md says what happens beyond each. */
export const scriptLimits = {
  sourceBytesMax: 256 * 1024,
  inputBytesMax: 1024 * 1024,
  outputCharsMax: 256 * 1024,
  consoleLinesMax: 50,
  consoleLineCharsMax: 1_000,
  warningsMax: 20,
  warningCharsMax: 500,
  /** WebAssembly's pages have 64 KiB: 24 MiB in all, of which the interpreter itself has 1. */
  memoryPagesMax: 384,
  /** Below the whole, so that a script hears of it as an error before the interpreter does. */
  heapBytesMax: 20 * 1024 * 1024,
  stackBytesMax: 256 * 1024,
  /** Processor time after which the interpreter stops the script. */
  softMs: 100,
  /** Processor time after which the process is killed, because the interpreter cannot stop a single long step. */
  hardMs: 500,
  /** Real time after which the process is killed: a busy machine delays scripts, but they must end. */
  hardWallMs: 3_000,
  resultDepthMax: 64,
  /** The longest that LoRaWAN can carry is 242. */
  downlinkBytesMax: 255,
} as const;
