import type { CodecExample } from "./codec-index.types.ts";
import { type CollectedFiles, collectionPath } from "./collected-files.ts";
import {
  boundedText,
  type Fields,
  fieldsOf,
  folderOf,
  listOf,
  readDocument,
} from "./collection-documents.ts";
import { toExamples } from "./collection-examples.ts";
import type { FoundCodec, Layout } from "./layout.types.ts";

const VENDOR = /(^|\/)vendors\/[^/]+\/vendor\.toml$/;
const NAME_CHARACTERS_MAX = 128;
const DESCRIPTION_CHARACTERS_MAX = 1_000;
const VERSIONS_MAX = 50;

/** Returns examples in `test_decode_<codec>.json` and `test_encode_<codec>.json` next to a script. */
export function examplesBeside(files: CollectedFiles, file: string): CodecExample[] {
  const folder = folderOf(file);
  const name = file.slice(folder.length).replace(/\.js$/i, "");
  return [
    ...toExamples(readDocument(files, `${folder}test_decode_${name}.json`), "uplink"),
    ...toExamples(readDocument(files, `${folder}test_encode_${name}.json`), "downlink"),
  ];
}

function codecsOf(files: CollectedFiles, folder: string, device: Fields): FoundCodec[] {
  /** Path of a script → supported firmware versions. */
  const versions = new Map<string, string[]>();
  for (const firmware of listOf(device.firmware).slice(0, VERSIONS_MAX)) {
    const { version, codec } = fieldsOf(firmware);
    const file = typeof codec === "string" ? collectionPath(`${folder}codecs/${codec}`) : undefined;
    if (file !== undefined)
      versions.set(file, [...(versions.get(file) ?? []), boundedText(version, NAME_CHARACTERS_MAX)]);
  }
  return [...versions].map(([file, list]) => ({
    firmware: versions.size > 1 ? list.join(", ") : "",
    file,
    examples: examplesBeside(files, file),
  }));
}

/** Layout of ChirpStack's device profiles: `vendors/<vendor>/vendor.toml`, `devices/*.toml`, `codecs/*.js`. */
export const chirpstackLayout: Layout = function* (files, paths) {
  for (const path of paths.filter((file) => VENDOR.test(file))) {
    const folder = folderOf(path);
    const { name, devices } = fieldsOf(fieldsOf(readDocument(files, path)).vendor);
    for (const listed of new Set(listOf(devices))) {
      const device = fieldsOf(fieldsOf(readDocument(files, `${folder}devices/${listed}`)).device);
      yield {
        vendor: boundedText(name, NAME_CHARACTERS_MAX) || folder.split("/").at(-2) || "",
        model: boundedText(device.name, NAME_CHARACTERS_MAX) || boundedText(listed, NAME_CHARACTERS_MAX),
        description: boundedText(device.description, DESCRIPTION_CHARACTERS_MAX),
        codecs: codecsOf(files, folder, device),
      };
    }
  }
};
