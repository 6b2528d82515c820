import { t } from "elysia";
import { pageQuery, searchQuery, sortQuery } from "../api/lists.schemas.ts";
import { choice, isoTime, jsonValue, lineText, renderedText, wholeNumber } from "../api/wire.schemas.ts";
import { trialResponse } from "../codecs/codecs.schemas.ts";
import { COLLECTION_LAYOUTS, SORT_FIELDS } from "./codec-index.types.ts";
import { indexLimits } from "./index-limits.ts";

const nullableText = t.Union([t.String(), t.Null()]);
const nullablePort = t.Union([wholeNumber(), t.Null()]);

export const indexStatusBody = t.Object(
  {
    index: t.Union([
      t.Object({
        origin: t.String({ description: "name of the archive or path of the folder" }),
        layouts: t.Array(choice(COLLECTION_LAYOUTS)),
        entries: wholeNumber({ description: "devices, counted once for each codec that they have" }),
        vendors: wholeNumber(),
        scripts: wholeNumber(),
        skipped: wholeNumber({ description: "devices without a usable codec, and files that were left out" }),
        loadedAt: isoTime,
      }),
      t.Null(),
    ]),
    loading: t.Union([
      t.Object({ share: t.Number({ description: "share of the archive that is read, 0 to 1" }) }),
      t.Null(),
    ]),
    error: t.Union([renderedText, t.Null()], {
      description: "why the newest load failed",
    }),
    uploadedBytes: wholeNumber(),
    totalBytes: wholeNumber({ description: "bytes of the archive that is uploaded" }),
  },
  { title: "CodecIndex" },
);

export const loadIndexBody = t.Object(
  {
    folder: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 4_096,
        description: "absolute path of a folder on the gateway; without it the uploaded archive is loaded",
      }),
    ),
    name: t.Optional(lineText(256, "name of the archive, as it is shown")),
  },
  { title: "LoadCodecIndex" },
);

export const archivePartQuery = t.Object({
  offset: t.Integer({
    minimum: 0,
    maximum: indexLimits.archiveBytesMax,
    description: "position of the part",
  }),
  total: t.Integer({ minimum: 1, maximum: 2 ** 40, description: "number of bytes of the whole archive" }),
});

export const entriesQuery = t.Object({
  ...pageQuery,
  search: searchQuery(SORT_FIELDS),
  sort: sortQuery(SORT_FIELDS),
});

const listed = {
  entryId: t.String({ description: "stays the same when the collection is loaded again" }),
  vendor: t.String(),
  model: t.String(),
  description: t.String(),
  firmware: t.String({ description: "firmware versions that the codec is for; empty for all" }),
  file: t.String({ description: "path of the script in the collection" }),
  license: nullableText,
  fPorts: t.Array(wholeNumber(), { description: "ports of the examples" }),
  exampleCount: wholeNumber(),
};

const example = t.Object({
  description: t.String(),
  direction: choice(["uplink", "downlink"]),
  fPort: nullablePort,
  frame: t.Union([t.String(), t.Null()], { description: "hexadecimal; null for a downlink" }),
  data: jsonValue("what a downlink encodes"),
  expected: t.Object({
    isError: t.Boolean({ description: "the codec reports an error" }),
    data: jsonValue("values of an uplink"),
    frame: t.Union([t.String(), t.Null()], { description: "hexadecimal bytes of a downlink" }),
    fPort: nullablePort,
  }),
});

export const listedEntryBody = t.Object(listed, { title: "ListedCodecIndexEntry" });
export const entryBody = t.Object(
  { ...listed, examples: t.Array(example), source: t.String() },
  { title: "CodecIndexEntry" },
);

export const entryTestBody = t.Object(
  {
    passed: wholeNumber(),
    total: wholeNumber(),
    results: t.Array(t.Object({ example, isPassed: t.Boolean(), trial: trialResponse })),
  },
  { title: "CodecIndexTest" },
);
