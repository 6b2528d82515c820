import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import {
  commentRules,
  commentTerms,
  localTerms,
  nameTerms,
  pageTerms,
  type Term,
  textTerms,
} from "./vocabulary-terms.ts";

/*
 * Part of `npm run check`. Finds words that docs/glossary.md replaces (in file names, declared names and English texts), doc comments without
 * content, phrases that LANGUAGE bans (in docs, comments, API texts and the command line), and sentences in docs that are too long.
 * `vocabulary-terms.ts` has the words, patterns and exceptions.
 */

const root = join(import.meta.dir, "..", "..", "..");

/** Splits a name into lower-case words: `isHTTPServer_2` becomes `is http server 2`. */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();

/** Returns whether the node declares a variable with a free name: `{ at }` of an object has the name of a property. */
function isLocal(node: ts.Node): boolean {
  if (ts.isBindingElement(node)) return node.propertyName !== undefined || node.dotDotDotToken !== undefined;
  return ts.isVariableDeclaration(node) || ts.isParameter(node);
}

/** Returns the declared name of a node. A reference has none. */
function declaredName(node: ts.Node): string | undefined {
  // Identifiers of expressions have no name of their own; a property access has one and declares nothing.
  const { name } = node as ts.NamedDeclaration;
  if (name === undefined || ts.isPropertyAccessExpression(node)) return undefined;
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) return name.text;
  return ts.isStringLiteral(name) && ts.isPropertyAssignment(node) ? name.text : undefined;
}

class FileCheck {
  readonly #file: string;
  readonly words = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds the terms in `words`, except where this file may contain them. */
  add(words: string, terms: readonly Term[]): void {
    for (const { word, pattern, allowed = [] } of terms)
      if (pattern.test(words) && !allowed.some((prefix) => this.#file.startsWith(prefix)))
        this.words.add(word);
  }

  /** Adds forbidden phrases if the node is a text of the API or of the command line. */
  #addPublished(node: ts.Node): void {
    const isOfCommand = this.#file.startsWith("src/cli/");
    if (isOfCommand && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)))
      this.add(node.getText(), pageTerms.en);
    if (!this.#file.startsWith("src/") || !ts.isPropertyAssignment(node)) return;
    const isText = ts.isIdentifier(node.name) && /^(?:summary|description)$/.test(node.name.text);
    const isError = ts.isNumericLiteral(node.name); // status of a described error
    if (isText || isError) this.add(node.initializer.getText(), pageTerms.en);
  }

  visit(node: ts.Node, isTexts: boolean): void {
    if (!isTexts) this.#addPublished(node);
    const name = declaredName(node);
    if (name !== undefined) {
      const words = wordsOf(name);
      this.add(words, nameTerms);
      if (isLocal(node)) this.add(words, localTerms);
    }
    if (isTexts && ts.isPropertyAssignment(node) && ts.isStringLiteralLike(node.initializer))
      this.add(node.initializer.text, textTerms);
    ts.forEachChild(node, (child) => this.visit(child, isTexts));
  }
}

/** Returns the words of a source file or of a file of texts that must be replaced. */
export function checkFile(file: string, text: string): string[] {
  const check = new FileCheck(file);
  check.add(wordsOf(file.replace(/^(src|test)\//, "")), nameTerms);
  const isTexts = file.endsWith(".en.json");
  const kind = file.endsWith(".tsx") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = isTexts
    ? ts.parseJsonText(file, text)
    : ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, kind);
  check.visit(source, isTexts);
  return [...check.words].sort();
}

/** Comment with its line and its text on one line, without stars and slashes. */
interface Comment {
  readonly line: number;
  readonly text: string;
}

function commentsOf(text: string, pattern: RegExp): Comment[] {
  return [...text.matchAll(pattern)].map(({ index, 1: content = "" }) => ({
    line: text.slice(0, index).split("\n").length,
    text: content.replace(/\s*\n\s*\*?\s*/g, " ").trim(),
  }));
}

/** Reports the comments of a file that contain a forbidden phrase, and the doc comments that say nothing, each with its line. */
export function checkComments(file: string, text: string): string[] {
  const docComments = commentsOf(text, /^[ \t]*\/\*\*(?!\/)(.*?)\*\//gms);
  const others = [
    ...commentsOf(text, /^[ \t]*\/\*(?!\*)(.*?)\*\//gms),
    ...commentsOf(text, /(?<=^|[^\S\n])\/\/ (.*)$/gm),
  ];
  return [
    ...docComments.flatMap(({ line, text: comment }) =>
      commentRules
        .filter(({ pattern }) => pattern.test(comment))
        .map(({ name }) => `${file}:${line}: doc comment with ${name}: ${comment.slice(0, 60)}`),
    ),
    ...[...docComments, ...others].flatMap(({ line, text: comment }) =>
      commentTerms
        .filter(({ pattern }) => pattern.test(comment))
        .map(({ word }) => `${file}:${line}: write another phrase than ${word}: ${comment.slice(0, 60)}`),
    ),
  ];
}

/** Reports forbidden phrases of a page, or of a file of texts, with their lines. Includes code and headings of tables. */
export function checkPage(file: string, text: string): string[] {
  const terms = pageTerms[/^docs\/de\/|\.de\.json$/.test(file) ? "de" : "en"];
  return text
    .split("\n")
    .flatMap((line, index) =>
      terms
        .filter(({ pattern }) => pattern.test(line))
        .map(({ word }) => `${file}:${index + 1}: write another phrase than ${word}`),
    );
}

const SENTENCE_WORDS_MAX = 35;
/** Pages that describe formats and measurements byte by byte. */
const EXACT_PAGES = new Set(["docs/benchmarks.md", "docs/storage-format.md"]);

/** Reports sentences of a page that are too long to be understood at first reading. Ignores code and parentheses. */
export function checkSentences(file: string, text: string): string[] {
  if (EXACT_PAGES.has(file)) return [];
  const prose = text
    .replaceAll(/```[\s\S]*?```/g, "\n\n")
    .replaceAll(/^(?:\||#|<!--).*$/gm, "\n")
    .replaceAll(/`[^`]*`/g, "`")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/\([^)]*\)/g, "");
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?:][*"”]*)\s+(?=[A-ZÄÖÜ[*0-9„“`])/))
    .map((sentence) =>
      sentence
        .replaceAll(/[[\]*]/g, "")
        .split(/\s+/)
        .filter((word) => /\w/.test(word)),
    )
    .filter((words) => words.length > SENTENCE_WORDS_MAX)
    .map(
      (words) => `${file}: divide the sentence of ${words.length} words: ${words.slice(0, 8).join(" ")} …`,
    );
}

const checkPages = (): string[] =>
  readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`)
    .concat("README.md", "CONTRIBUTING.md")
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...checkPage(file, text), ...checkSentences(file, text)];
    });

function main(): number {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(tsx?|en\.json)$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  const problems = files.sort().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const words = checkFile(file, text);
    const comments = checkComments(file, text);
    return words.length === 0
      ? comments
      : [`${file}: use the terms of docs/glossary.md instead of ${words.join(", ")}`, ...comments];
  });
  const texts = join("src", "lib", "texts");
  const pageTexts = readdirSync(join(root, texts)).filter((file) => /\.(?:de|en)\.json$/.test(file));
  problems.push(
    ...pageTexts.flatMap((file) =>
      checkPage(join(texts, file), readFileSync(join(root, texts, file), "utf8")),
    ),
    ...checkPages(),
  );
  for (const problem of problems) console.error(problem);
  console.log(`${files.length} files, ${problems.length} problems of vocabulary and doc comments`);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exit(main());
