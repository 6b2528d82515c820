import { join } from "node:path";
import type { BunPlugin } from "bun";

type Texts = Readonly<Record<string, string>>;

/** Keyed by file of the catalogue: the object that it exports, and the English file whose keys are those of every language. */
const PARTS: Record<string, { name: string; part: string }> = {
  "first.en.ts": { name: "firstEn", part: "first.en.ts" },
  "first.de.ts": { name: "firstDe", part: "first.en.ts" },
  "rest.en.ts": { name: "restEn", part: "rest.en.ts" },
  "rest.de.ts": { name: "restDe", part: "rest.en.ts" },
};

/**
 * Texts without their keys: these stand once for all languages, in a file of their own, which makes the console a thirtieth smaller.
 * `folder`: where the texts are.
 */
export function textsWithoutKeys(folder: string): BunPlugin {
  async function textsOf(file: string): Promise<Texts> {
    const { name = "" } = PARTS[file] ?? {};
    const module: Record<string, Texts> = await import(join(folder, file));
    const texts = module[name];
    if (texts === undefined) throw new Error(`${file} has no ${name}`);
    return texts;
  }
  const keysOf = async (part: string) => Object.keys(await textsOf(part));

  return {
    name: "texts without keys",
    setup(build) {
      build.onResolve({ filter: /^text-keys:/ }, ({ path }) => ({
        path: path.slice("text-keys:".length),
        namespace: "text-keys",
      }));
      build.onLoad({ filter: /.*/, namespace: "text-keys" }, async ({ path }) => ({
        contents: `export const keys = ${JSON.stringify((await keysOf(path)).join(" "))}.split(" ");`,
        loader: "js",
      }));
      build.onLoad({ filter: /[/\\]catalogue[/\\](first|rest)\.(en|de)\.ts$/ }, async ({ path }) => {
        const file = path.split(/[/\\]/).at(-1) ?? "";
        const { name, part } = PARTS[file] ?? { name: "", part: "" };
        const texts = await textsOf(file);
        const values = JSON.stringify((await keysOf(part)).map((key) => texts[key] ?? key));
        return {
          contents: `import { keys } from "text-keys:${part}";
const texts = ${values};
export const ${name} = Object.fromEntries(keys.map((key, index) => [key, texts[index]]));`,
          loader: "js",
        };
      });
    },
  };
}
