/** Limits of a script. docs/script-limits.md describes the effect of exceeding each. */
export const scriptLimits = {
  sourceBytesMax: 256 * 1024,
  inputBytesMax: 1024 * 1024,
  outputCharsMax: 256 * 1024,
  consoleLinesMax: 50,
  consoleLineCharsMax: 1_000,
  warningsMax: 20,
  warningCharsMax: 500,
  /** Max. WebAssembly pages of 64 KiB: 24 MiB in total, including 1 MiB for the interpreter itself. */
  memoryPagesMax: 384,
  /** Max. heap bytes; below the total, so that a script gets an error before the interpreter fails. */
  heapBytesMax: 20 * 1024 * 1024,
  stackBytesMax: 256 * 1024,
  /** Processor time in ms after which the interpreter stops the script. */
  softMs: 100,
  /** Processor time in ms after which the process is killed, because the interpreter cannot stop a single long step. */
  hardMs: 500,
  /** Wall time in ms after which the process is killed: a busy machine delays scripts, but they must end. */
  hardWallMs: 3_000,
  resultDepthMax: 64,
  /** Max. bytes of a downlink; LoRaWAN carries at most 242. */
  downlinkBytesMax: 255,
} as const;
