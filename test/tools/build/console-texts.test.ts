import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textsWithoutKeys } from "../../../src/tools/build/console-texts.ts";

const directory = await mkdtemp(join(tmpdir(), "texts-"));
afterAll(() => rm(directory, { recursive: true }));

test.each(["first-screens", "console", "server"])(
  "the texts of %s have their keys again in the browser",
  async (part) => {
    for (const language of ["en", "de"]) {
      const file = join(import.meta.dir, `../../../src/lib/texts/${part}.${language}.json`);
      const entry = join(directory, `${part}-${language}.js`);
      await writeFile(entry, `export { default } from ${JSON.stringify(file)};`);
      const { outputs } = await Bun.build({
        entrypoints: [entry],
        plugins: [textsWithoutKeys],
        minify: true,
      });
      const built = join(directory, `${part}-${language}-built.js`);
      await writeFile(built, (await outputs[0]?.text()) ?? "");
      const { default: texts } = (await import(built)) as { default: Record<string, string> };
      expect(texts).toEqual(await Bun.file(file).json());
    }
  },
);
