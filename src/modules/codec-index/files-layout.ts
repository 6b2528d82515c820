import { examplesBeside } from "./chirpstack-layout.ts";
import type { Layout } from "./layout.types.ts";

const DEFINES_CODEC = /\b(decodeUplink|Decode|Decoder|encodeDownlink|Encode|Encoder)\b/;
const NAME_CHARACTERS_MAX = 128;

/** Scripts without descriptions: the folder is the vendor, and the file is the model. */
export const filesLayout: Layout = function* (files, paths) {
  for (const file of paths) {
    if (!/\.js$/i.test(file) || !DEFINES_CODEC.test(files.text(file) ?? "")) continue;
    const [name = "", folder = ""] = file.split("/").reverse();
    yield {
      vendor: folder.slice(0, NAME_CHARACTERS_MAX),
      model: name.replace(/\.js$/i, "").slice(0, NAME_CHARACTERS_MAX),
      description: "",
      codecs: [{ firmware: "", file, examples: examplesBeside(files, file) }],
    };
  }
};
