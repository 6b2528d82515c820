import { parse as parseToml } from "smol-toml";
import { isJsonObject } from "../../lib/json/json.ts";
import type { CollectedFiles } from "./collected-files.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Reads a YAML, TOML or JSON file of a collection; undefined if it is missing or invalid, which is counted. */
export function readDocument(files: CollectedFiles, path: string): unknown {
  const text = files.text(path);
  if (text === undefined) return undefined;
  try {
    if (path.endsWith(".toml")) return parseToml(text);
    // The parser limits what aliases expand to. Its time and memory grow with the text, not with nesting or errors.
    return path.endsWith(".json") ? JSON.parse(text) : Bun.YAML.parse(text);
  } catch {
    files.skip();
    return undefined;
  }
}

export const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns a string in one line, truncated; "" for any other value. */
export function boundedText(value: unknown, charactersMax: number): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  return (
    String(value)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
      .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
      .trim()
      .slice(0, charactersMax)
  );
}

/** Returns the folder of a path with its trailing slash; "" for the top. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
