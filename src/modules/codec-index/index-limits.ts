import { scriptLimits } from "../script-sandbox/script-limits.ts";

const MIB = 1024 * 1024;

/** Limits of a collection. The largest public one has some 20,000 files, of which a tenth are codecs. */
export const indexLimits = {
  archiveBytesMax: 1024 * MIB,
  /** Bytes that an archive may unpack to, pictures included, which are read past. */
  unpackedBytesMax: 2048 * MIB,
  archiveEntriesMax: 200_000,
  filesMax: 50_000,
  /** Bytes of the files that are kept. */
  keptBytesMax: 256 * MIB,
  scriptBytesMax: scriptLimits.sourceBytesMax,
  descriptionBytesMax: 512 * 1024,
  pathCharactersMax: 512,
  folderDepthMax: 12,
  devicesMax: 50_000,
  examplesMax: 20,
  exampleBytesMax: 16 * 1024,
} as const;
