import { join } from "node:path";
import type { BunPlugin } from "bun";
import type { Catalogue } from "../lib/texts/text.ts";

/** Folder of the texts: a file for each part and language. */
const FOLDER = join(import.meta.dir, "../lib/texts");

const readTexts = (part: string, language: string): Promise<Catalogue> =>
  Bun.file(join(FOLDER, `${part}.${language}.json`)).json();

/** Texts without their keys: these stand once for all languages, in a file of their own, which makes the console a thirtieth smaller. */
export const textsWithoutKeys: BunPlugin = {
  name: "texts without keys",
  setup(build) {
    build.onResolve({ filter: /^text-keys:/ }, ({ path }) => ({
      path: path.slice("text-keys:".length),
      namespace: "text-keys",
    }));
    build.onLoad({ filter: /.*/, namespace: "text-keys" }, async ({ path }) => {
      const keys = Object.keys(await readTexts(path, "en")).join(" ");
      return { contents: `export const keys = ${JSON.stringify(keys)}.split(" ");`, loader: "js" };
    });
    build.onLoad({ filter: /[/\\]texts[/\\](first-screens|console)\.\w+\.json$/ }, async ({ path }) => {
      const [part = "", language = ""] = path.split(/[/\\]/).at(-1)?.split(".") ?? [];
      const values = JSON.stringify(Object.values(await readTexts(part, language)));
      return {
        contents: `import { keys } from "text-keys:${part}";
const texts = ${values};
export default Object.fromEntries(keys.map((key, index) => [key, texts[index]]));`,
        loader: "js",
      };
    });
  },
};
