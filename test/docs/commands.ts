import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The commands that the README and the manual show. */

const root = join(import.meta.dir, "../..");

/** Programs in other languages than the shell run if the page shows what they print. */
export type Language = "sh" | "python" | "ts";

interface Block {
  readonly language: Language;
  readonly code: string;
  /** What the block prints, if the page shows it; `…` stands for anything. */
  readonly shown?: string;
}

export interface Page {
  readonly name: string;
  /** Programs in their order, without those that set up or build a checkout. */
  readonly blocks: readonly Block[];
  /** Shell commands of the blocks. */
  readonly script: string;
  /** Commands of the executable that stand in the text, with arguments. */
  readonly inline: readonly string[];
  readonly text: string;
}

/** What concerns a checkout or an executable, and not a running gateway. */
const ofCheckout = /^\s*(npm |(chmod \+x |\.\/)lineside-)/;

/** A block shows its output in the block of text that follows it. Programs in several languages, one after the other, share one. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let group: Array<Omit<Block, "shown">> = [];
  let end = 0;
  const flush = (shown?: string) => {
    blocks.push(...group.map((block) => ({ ...block, ...(shown !== undefined && { shown }) })));
    group = [];
  };
  for (const { index, 0: all, 1: indent = "", 2: language = "", 3: body = "" } of text.matchAll(
    /^( *)```([\w-]*)\n([\s\S]*?)^ *```\n?/gm,
  )) {
    if (text.slice(end, index).trim() !== "") flush();
    end = index + all.length;
    const code = body.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    if (language === "text") flush(code);
    else if (isLanguage(language) && !ofCheckout.test(code)) group.push({ language, code });
  }
  flush();
  return blocks;
}

const isLanguage = (name: string): name is Language => ["sh", "python", "ts"].includes(name);

/** Returns a pattern of an output, whatever its blanks and line breaks. */
const patternOf = (shown: string): RegExp => {
  const parts = shown
    .replaceAll(/\s/g, "")
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
};

/** True if an output is the one that the page shows. Pages break lines for their readers. */
export const isShown = (output: string, shown: string): boolean =>
  patternOf(shown).test(output.replaceAll(/\s/g, ""));

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
  const blocks = blocksOf(text);
  const script = blocks.flatMap(({ language, code }) => (language === "sh" ? [code] : [])).join("\n");
  return { name, text, blocks, script, inline: inlineOf(text) };
});
