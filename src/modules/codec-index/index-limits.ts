import { MIB } from "../../lib/core/units.ts";
import { scriptLimits } from "../script-sandbox/script-limits.ts";

/** Limits of a collection. The largest public one has about 20,000 files, a tenth of which are codecs. */
export const indexLimits = {
  archiveBytesMax: 1024 * MIB,
  /** Max. unpacked bytes of an archive, including skipped pictures. */
  unpackedBytesMax: 2048 * MIB,
  archiveEntriesMax: 200_000,
  filesMax: 50_000,
  /** Max. bytes of kept files. */
  keptBytesMax: 256 * MIB,
  scriptBytesMax: scriptLimits.sourceBytesMax,
  descriptionBytesMax: 512 * 1024,
  pathCharactersMax: 512,
  folderDepthMax: 12,
  devicesMax: 50_000,
  examplesMax: 20,
  exampleBytesMax: 16 * 1024,
} as const;
