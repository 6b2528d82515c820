import { join } from "node:path";
import type { BunPlugin } from "bun";
import type { Catalogue } from "../../lib/texts/text.ts";

/** Folder of the texts, with a file for each part and language. */
const FOLDER = join(import.meta.dir, "../../lib/texts");

const readTexts = (part: string, language: string): Promise<Catalogue> =>
  Bun.file(join(FOLDER, `${part}.${language}.json`)).json();

/** Returns the keys in a short form: each shared prefix of parts is replaced by its number. */
function shortKeys(keys: readonly string[]): string {
  let before: readonly string[] = [];
  const shortened = keys.map((key) => {
    const parts = key.split(".");
    const different = parts.findIndex((part, index) => part !== before[index] || index === parts.length - 1);
    before = parts;
    return `${different}${parts.slice(different).join(".")}`;
  });
  return shortened.join(" ");
}

/** Code that restores the keys in the browser. */
const KEYS_OF = `let before = [];
export const keys = text.split(" ").map((key) => {
  before = [...before.slice(0, Number(key[0])), ...key.slice(1).split(".")];
  return before.join(".");
});`;

/** Removes the keys from texts: they are stored once for all languages in a separate file, which makes the console a twentieth smaller. */
export const textsWithoutKeys: BunPlugin = {
  name: "texts without keys",
  setup(build) {
    build.onResolve({ filter: /^text-keys:/ }, ({ path }) => ({
      path: path.slice("text-keys:".length),
      namespace: "text-keys",
    }));
    build.onLoad({ filter: /.*/, namespace: "text-keys" }, async ({ path }) => {
      const keys = shortKeys(Object.keys(await readTexts(path, "en")));
      return { contents: `const text = ${JSON.stringify(keys)};\n${KEYS_OF}`, loader: "js" };
    });
    build.onLoad(
      { filter: /[/\\]texts[/\\](first-screens|console|server)\.\w+\.json$/ },
      async ({ path }) => {
        const [part = "", language = ""] = path.split(/[/\\]/).at(-1)?.split(".") ?? [];
        const values = JSON.stringify(Object.values(await readTexts(part, language)));
        return {
          contents: `import { keys } from "text-keys:${part}";
const texts = ${values};
export default Object.fromEntries(keys.map((key, index) => [key, texts[index]]));`,
          loader: "js",
        };
      },
    );
  },
};
