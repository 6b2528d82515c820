import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The commands that the README and the manual show. */

const root = join(import.meta.dir, "../..");

export interface Page {
  readonly name: string;
  /** Shell commands in their order, blocks without those that set up or build a checkout. */
  readonly script: string;
  /** Commands of the executable that stand in the text, with arguments. */
  readonly inline: readonly string[];
  readonly text: string;
}

/** What concerns a checkout or an executable, and not a running gateway. */
const ofCheckout = /^\s*(npm |(chmod \+x |\.\/)lineside-)/;

const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^[ ]*```sh\n([\s\S]*?)^[ ]*```/gm)]
    .map(([, block = ""]) => block)
    .filter((block) => !ofCheckout.test(block));

const inlineOf = (text: string): string[] =>
  [...text.matchAll(/`(lineside (?:[a-z-]+ |-)[^`]*|lineside healthcheck)`/g)].map(
    ([, command = ""]) => command,
  );

export const pages: readonly Page[] = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${name}`),
].map((name) => {
  const text = readFileSync(join(root, name), "utf8");
  return { name, text, script: blocksOf(text).join("\n"), inline: inlineOf(text) };
});
