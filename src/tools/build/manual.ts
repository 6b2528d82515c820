import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked, type Tokens } from "marked";

/** Page of the manual in the console, from the texts in `docs/`. */
export interface ManualPage {
  readonly id: string;
  readonly title: string;
  readonly html: string;
  /** Language of the text. Untranslated pages are in English. */
  readonly language: Language;
}

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Sections and pages in the order of the index, docs/README.md, which a test compares. */
export const manualSections: ReadonlyArray<{ readonly id: string; readonly pages: readonly string[] }> = [
  { id: "start", pages: ["first-steps", "api-tutorial", "concepts", "troubleshooting", "readme"] },
  {
    id: "quickStarts",
    pages: [
      "quick-start-esp32",
      "quick-start-python",
      "quick-start-tasmota",
      "quick-start-shelly",
      "quick-start-zigbee2mqtt",
      "quick-start-esphome",
      "quick-start-node-red",
      "quick-start-energy-meter",
      "quick-start-chirpstack",
      "quick-start-the-things-stack",
      "quick-start-thingsboard-gateway",
      "quick-start-telegraf",
    ],
  },
  {
    id: "devices",
    pages: [
      "devices",
      "claiming",
      "values",
      "inactive-devices",
      "import",
      "gateways",
      "connecting-securely",
      "credentials",
      "provisioning",
      "mqtt-clients",
    ],
  },
  {
    id: "networks",
    pages: [
      "integrations",
      "broker-integrations",
      "downlinks",
      "modbus",
      "s7",
      "opcua",
      "bacnet",
      "scripts",
      "webhooks",
      "uplinks",
      "uplink-postgresql",
      "uplink-influxdb",
      "uplink-kafka",
    ],
  },
  {
    id: "rules",
    pages: [
      "pipelines",
      "alarms",
      "notifications",
      "messengers",
      "scheduler",
      "generators",
      "demo-plant",
      "dashboards",
      "wall-displays",
    ],
  },
  { id: "users", pages: ["sign-in", "users", "api-keys", "tenants", "audit", "mail"] },
  {
    id: "operation",
    pages: [
      "install",
      "backup",
      "restore",
      "upgrading",
      "monitoring",
      "faults",
      "repair",
      "disk-full",
      "clock",
      "moving",
      "hardening",
      "site-files",
      "proxy",
    ],
  },
  {
    id: "reference",
    pages: [
      "configuration",
      "cli",
      "api",
      "permissions",
      "device-protocol",
      "gateway-protocol",
      "credential-rules",
      "connection-limits",
      "mqtt-broker",
      "csv-files",
      "outbound-addresses",
      "pipeline-steps",
      "alarm-rules",
      "job-runs",
      "dashboard-widgets",
      "site-file-format",
      "modbus-registers",
      "opcua-values",
      "bacnet-objects",
      "webhook-delivery",
      "script-limits",
      "uplink-targets",
      "integration-formats",
      "telegraf",
      "plans",
      "sign-in-limits",
      "service",
      "fault-log",
      "fault-detection",
      "storage-format",
      "tested-programs",
    ],
  },
  {
    id: "explanation",
    pages: ["comparison", "compatibility", "sizing", "scale", "benchmarks", "security-checklist"],
  },
  { id: "contribute", pages: ["architecture", "glossary"] },
];

/** German names of pages with English texts. */
const germanTitles: Readonly<Record<string, string>> = {
  permissions: "Berechtigungen",
  configuration: "Konfiguration",
  cli: "Befehle",
  architecture: "Architektur",
  glossary: "Glossar",
  "storage-format": "Die Telemetriedatei",
  benchmarks: "Messungen",
};

const README = "README.md";
/** Pages that list all pages, like the manual itself. */
const INDEXES = /(?:docs\/README|index)\.md$/;

/** Returns the anchor of a heading, in the form of common Markdown viewers. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** Returns the anchors of the headings of a text in order. Repeated headings have a number. */
export function headingsOf(source: string): string[] {
  const counts = new Map<string, number>();
  return new Marked({ gfm: true }).lexer(source).flatMap((token) => {
    if (token.type !== "heading") return [];
    const name = slugOf(token.text);
    const earlier = counts.get(name) ?? 0;
    counts.set(name, earlier + 1);
    return earlier === 0 ? name : `${name}-${earlier}`;
  });
}

/** Targets of links. Files use anchors in their own language, the manual uses the English ones. */
class Places {
  readonly #root: string;
  readonly #language: Language;
  readonly #names = new Map<string, readonly string[]>();

  constructor(root: string, language: Language) {
    this.#root = root;
    this.#language = language;
  }

  #headings(id: string, language: Language): readonly string[] {
    const { file } = fileOf(this.#root, id, language);
    const names = this.#names.get(file) ?? headingsOf(readFileSync(file, "utf8"));
    this.#names.set(file, names);
    return names;
  }

  /** Returns the English anchors of the headings of a page in order: the console leads to the same places in each language. */
  namesOf(id: string): readonly string[] {
    return this.#headings(id, "en");
  }

  #anchorOf(id: string, anchor: string): string {
    return this.namesOf(id)[this.#headings(id, this.#language).indexOf(anchor)] ?? anchor;
  }

  /** Returns the target of a link on a page; undefined for files outside of the manual. */
  hrefOf(page: string, href: string): string | undefined {
    if (/^(https?:|mailto:)/.test(href)) return href;
    const [path = "", anchor] = href.split("#");
    if (INDEXES.test(path)) return "/manual";
    const name = path.replace(/^(\.\.\/)*(docs\/)?/, "");
    const id = path === "" ? page : name === README ? "readme" : name.replace(/\.md$/, "");
    if (!manualSections.some(({ pages }) => pages.includes(id))) return undefined;
    const place = anchor === undefined ? "" : `#${this.#anchorOf(id, anchor)}`;
    return path === "" ? place : `/manual/${id}${place}`;
  }
}

/** Returns the drawing as a part of the page. Photographs and screenshots are omitted, because the executable does not contain them. */
function inlineImage(root: string, { href, text }: Tokens.Image): string {
  if (!href.endsWith(".svg")) return "";
  const drawing = readFileSync(join(root, "docs/images", basename(href)), "utf8");
  const named = drawing.replace("<svg ", `<svg role="img" aria-label="${Bun.escapeHTML(text)}" `);
  // A color that suits both themes of other viewers gives way to that of the text.
  return named.replace(/^(<svg [^>]*)fill="[^"]*"/, '$1fill="currentColor"');
}

function createRenderer(root: string, page: string, places: Places): Marked {
  const marked = new Marked({ gfm: true });
  const names = places.namesOf(page);
  let headings = 0;
  marked.use({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const inner = this.parser.parseInline(tokens);
        const name = names[headings++] ?? slugOf(text);
        // The page's own heading is the first.
        return depth === 1 ? "" : `<h${depth} id="${name}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const target = places.hrefOf(page, href);
        return target === undefined ? inner : `<a href="${target}">${inner}</a>`;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], name: "th" | "td") =>
          `<tr>${cells.map((cell) => `<${name}>${this.parser.parseInline(cell.tokens)}</${name}>`).join("")}</tr>`;
        const head = token.header.some(({ text }) => text !== "")
          ? `<thead>${row(token.header, "th")}</thead>`
          : "";
        const rows = token.rows.map((cells) => row(cells, "td")).join("");
        return `<div class="manual-table" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
      },
      code({ text }: Tokens.Code) {
        return `<pre tabindex="0"><code>${Bun.escapeHTML(text)}</code></pre>\n`;
      },
      image: (token: Tokens.Image) => inlineImage(root, token),
    },
  });
  return marked;
}

/** Returns the file of a page in a language, or the English one if it is not translated. */
function fileOf(root: string, id: string, language: Language): { file: string; language: Language } {
  const name = id === "readme" ? README : `${id}.md`;
  const translated = join(root, "docs", language, name);
  if (language !== "en" && existsSync(translated)) return { file: translated, language };
  return { file: id === "readme" ? join(root, README) : join(root, "docs", name), language: "en" };
}

function renderPage(root: string, id: string, wanted: Language, places: Places): ManualPage {
  const { file, language } = fileOf(root, id, wanted);
  const source = readFileSync(file, "utf8");
  const ownTitle = /^# (.*)$/m.exec(source)?.[1] ?? id;
  const title = language === wanted ? ownTitle : (germanTitles[id] ?? ownTitle);
  const html = createRenderer(root, id, places).parse(source, { async: false });
  // What is left of a paragraph whose picture is left out.
  return { id, title, language, html: html.replaceAll(/<p>\s*<\/p>\n?/g, "") };
}

/** Renders every page of the manual in a language. `root` is the root of the repository. */
export function renderManual(root: string, language: Language): Array<{ id: string; pages: ManualPage[] }> {
  const places = new Places(root, language);
  return manualSections.map(({ id, pages }) => ({
    id,
    pages: pages.map((page) => renderPage(root, page, language, places)),
  }));
}
