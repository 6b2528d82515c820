import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
} from "yaml";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import { suggest } from "../../lib/strings/suggest.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import type { Section } from "./section.types.ts";
import { sections } from "./sections.ts";
import {
  type FieldPath,
  type Fields,
  formatPath,
  isFields,
  type Site,
  type SiteObject,
} from "./site.types.ts";

export const SITE_FILE_BYTES_MAX = 64 * 1024 * 1024;
const ALIASES_MAX = 100;
const FORMAT = "lineside.site";
const VERSION = 1;

/** Text of a site file. */
export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

interface SiteOptions {
  /** Whether objects that the files lack are deleted. */
  readonly prunes: boolean;
}

interface ParsedFile {
  readonly name: string;
  readonly content: Fields;
  where(path: FieldPath): string;
}

const HEADER = `# Lineside site file, described in docs/site-files.md.
# Secrets are not in it: each \${secret:NAME} is taken from the environment variable LINESIDE_SECRET_NAME, or stays as it is on the gateway.
`;

/** Formats a site as YAML: block texts for scripts, quotes if another parser could read something other than text. */
export const writeSite = (content: Fields): string => {
  const text = stringify(
    { format: FORMAT, version: VERSION, ...content },
    {
      lineWidth: 0,
      aliasDuplicateObjects: false,
      compat: "yaml-1.1",
    },
  );
  return `${HEADER}${text}...\n`;
};

const keyOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** Returns a function that finds the pairs of a mapping by key. Each mapping is read once. */
function createPairs(): (map: YAMLMap) => ReadonlyMap<string, Pair> {
  const read = new WeakMap<YAMLMap, Map<string, Pair>>();
  return (map) => {
    const pairs = read.get(map) ?? new Map(map.items.map((pair) => [keyOf(pair), pair]));
    read.set(map, pairs);
    return pairs;
  };
}

/** Forbidden key of a site file with the reason. */
interface WrongKey {
  readonly key: unknown;
  readonly message: string;
}

/** Adds the forbidden keys of one mapping. */
function checkKeysOf({ items }: YAMLMap, wrong: WrongKey[]): void {
  const seen = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) wrong.push({ key, message: "Map keys must be texts" });
    else if (seen.has(String(key.value))) wrong.push({ key, message: "Map keys must be unique" });
    else seen.add(String(key.value));
  }
}

/**
 * Returns the forbidden keys of a document. The parser compares each key with all others, and converts nested keys in a time that grows with the
 * cube of their depth.
 */
function wrongKeysOf({ contents }: Document.Parsed): WrongKey[] {
  const wrong: WrongKey[] = [];
  const waiting: unknown[] = [contents];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isMap(node)) checkKeysOf(node, wrong);
    if (isCollection(node)) for (const item of node.items) waiting.push(isPair(item) ? item.value : item);
  }
  return wrong;
}

/** Refuses a file that may have been cut: the rest of it would be deleted, or a value changed. @throws StartupError */
function ensureEnded(
  { directives }: Document.Parsed,
  { name, text }: SourceFile,
  { prunes }: SiteOptions,
): void {
  if (directives.docEnd || !(text.startsWith(HEADER) || prunes)) return;
  throw new StartupError(
    `${name} may have been cut: ${prunes ? "with --prune, a site file ends" : "an exported file ends"} with a line "...". Export or copy it again, or add the line if the file is complete.`,
  );
}

function parseFile({ name, text }: SourceFile, siteOptions: SiteOptions): ParsedFile {
  const lines = new LineCounter();
  let document: Document.Parsed;
  let content: unknown;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined)
      throw new StartupError(`${name}:${lines.linePos(problem.pos[0]).line}: ${problem.message}`);
    const [wrong] = wrongKeysOf(document);
    if (wrong !== undefined) {
      const place = isNode(wrong.key) && wrong.key.range ? `:${lines.linePos(wrong.key.range[0]).line}` : "";
      throw new StartupError(`${name}${place}: ${wrong.message}`);
    }
    ensureEnded(document, { name, text }, siteOptions);
    content = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof ReferenceError ? "it has too many aliases" : "it is nested too deeply";
    throw new StartupError(`${name} cannot be read: ${reason}.`, { cause: error });
  }
  if (!isFields(content))
    throw new StartupError(`${name} is not a site file: it must begin with format: ${FORMAT}.`);
  const pairsOf = createPairs();
  const lineOf = (path: FieldPath): number | undefined => {
    for (let length = path.length; length > 0; length--) {
      const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
      const pair = isMap(parent) ? pairsOf(parent).get(String(path[length - 1])) : undefined;
      const node = pair?.key ?? document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  };
  return {
    name,
    content,
    where(path) {
      const line = lineOf(path);
      return line === undefined ? name : `${name}:${line}`;
    },
  };
}

function checkHeader({ name, content, where }: ParsedFile): void {
  const { format, version } = content;
  if (format !== FORMAT)
    throw new StartupError(`${name} is not a site file: it must have format: ${FORMAT}.`);
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1)
    throw new StartupError(`${where(["version"])}: version must be ${VERSION}.`);
  if (version > VERSION)
    throw new StartupError(
      `${where(["version"])}: version ${version} is newer than this Lineside, which reads version ${VERSION}. Update Lineside first.`,
    );
}

const didYouMean = (name: string, names: readonly string[]): string => {
  const near = suggest(name, names);
  return near === undefined ? "" : ` Did you mean "${near}"?`;
};

/** Returns the objects of one section, and adds problems to `problems`. */
function objectsOf(file: ParsedFile, section: Section, problems: string[]): SiteObject[] {
  const { key: keyField, name } = section;
  const value = file.content[name];
  const toObject = (fields: Fields, key: string, place: FieldPath): SiteObject => ({
    key,
    fields,
    where: (path) =>
      `${file.where([...place, ...path])}: ${formatPath(key === "" ? [name, ...path] : [name, JSON.stringify(key), ...path])}`,
  });
  if (value === null || value === undefined) return [];
  if (keyField === undefined) {
    if (isFields(value)) return [toObject(value, "", [name])];
    problems.push(`${file.where([name])}: ${name} must be an object.`);
    return [];
  }
  if (!Array.isArray(value)) {
    problems.push(`${file.where([name])}: ${name} must be a list.`);
    return [];
  }
  return value.flatMap((fields: unknown, index) => {
    const key = isFields(fields) ? fields[keyField] : undefined;
    if (isFields(fields) && typeof key === "string" && key.trim() !== "") {
      const trimmed = key.trim();
      return [toObject(fields, keyField === "email" ? normalizeEmail(trimmed) : trimmed, [name, index])];
    }
    problems.push(`${file.where([name, index])}: ${name}[${index}] needs a string as ${keyField}.`);
    return [];
  });
}

function checkSections({ content, where }: ParsedFile, problems: string[]): void {
  const names = sections.map(({ name }) => name);
  for (const name of Object.keys(content))
    if (!["format", "version", ...names].includes(name))
      problems.push(`${where([name])}: "${name}" is not a section of a site file.${didYouMean(name, names)}`);
}

function checkKeys(objects: readonly SiteObject[], problems: string[]): void {
  /** First object with each name. */
  const seen = new Map<string, SiteObject>();
  for (const object of objects) {
    const first = seen.get(object.key);
    if (first === undefined) seen.set(object.key, object);
    else problems.push(`${object.where([])} is also at ${first.where([])}.`);
  }
}

/** Parses site files. @throws StartupError with all problems of the form */
export function readSite(files: readonly SourceFile[], siteOptions: SiteOptions = { prunes: false }): Site {
  const site = new Map<string, SiteObject[]>();
  const problems: string[] = [];
  for (const source of files) {
    const file = parseFile(source, siteOptions);
    checkHeader(file);
    checkSections(file, problems);
    for (const section of sections.filter(({ name }) => Object.hasOwn(file.content, name)))
      site.set(section.name, [...(site.get(section.name) ?? []), ...objectsOf(file, section, problems)]);
  }
  for (const objects of site.values()) checkKeys(objects, problems);
  if (problems.length > 0) throw new StartupError(problems.join("\n"));
  return site;
}
