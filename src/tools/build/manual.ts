import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked, type Tokens } from "marked";

/** Page of the console's manual; the texts are those of `docs/`. */
export interface ManualPage {
  readonly id: string;
  readonly title: string;
  readonly html: string;
  /** Language of the text. A page that is not translated is in English. */
  readonly language: Language;
}

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Sections and pages in the order of the index, docs/README.md; a test compares them. */
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
    ],
  },
  {
    id: "devices",
    pages: [
      "devices",
      "values",
      "import",
      "gateways",
      "connecting-securely",
      "credentials",
      "connection-limits",
      "mqtt-clients",
    ],
  },
  {
    id: "networks",
    pages: [
      "integrations",
      "modbus",
      "telegraf",
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
    pages: ["pipelines", "alarms", "notifications", "scheduler", "generators", "dashboards"],
  },
  { id: "users", pages: ["sign-in", "users", "tenants", "audit", "mail"] },
  {
    id: "operation",
    pages: [
      "install",
      "backup",
      "upgrading",
      "monitoring",
      "faults",
      "repair",
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
      "api",
      "permissions",
      "device-protocol",
      "integration-formats",
      "storage-format",
      "tested-programs",
    ],
  },
  { id: "explanation", pages: ["comparison", "sizing", "scale", "benchmarks", "security-checklist"] },
  { id: "contribute", pages: ["architecture", "glossary"] },
];

/** German names of pages whose text is in English. */
const germanTitles: Readonly<Record<string, string>> = {
  permissions: "Berechtigungen",
  configuration: "Konfiguration",
  architecture: "Architektur",
  glossary: "Glossar",
  "storage-format": "Die Telemetriedatei",
  benchmarks: "Messungen",
};

const README = "README.md";
/** Lists all pages, as the manual does itself. */
const INDEX = "docs/README.md";

/** Returns the target of a link within the manual: the page of another text. Other files are not in the manual. */
function hrefOf(href: string): string | undefined {
  if (/^(https?:|mailto:)/.test(href) || href.startsWith("#")) return href;
  const [path = "", anchor] = href.split("#");
  if (path.endsWith(INDEX)) return "/manual";
  const name = path.replace(/^(\.\.\/)*(docs\/)?/, "");
  const id = name === README ? "readme" : name.replace(/\.md$/, "");
  if (!manualSections.some(({ pages }) => pages.includes(id))) return undefined;
  return `/manual/${id}${anchor === undefined ? "" : `#${anchor}`}`;
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** Returns the names of a text's headings in order, by which links reach them. */
function headingsOf(source: string): string[] {
  const tokens = new Marked({ gfm: true }).lexer(source);
  return tokens.flatMap((token) => (token.type === "heading" ? [slugOf(token.text)] : []));
}

/** Returns the drawing as a part of the page. Photographs and screenshots are left out, because the executable does not hold them. */
function inlineImage(root: string, { href, text }: Tokens.Image): string {
  if (!href.endsWith(".svg")) return "";
  const drawing = readFileSync(join(root, "docs/images", basename(href)), "utf8");
  const named = drawing.replace("<svg ", `<svg role="img" aria-label="${Bun.escapeHTML(text)}" `);
  // A colour that suits both themes of other viewers gives way to that of the text.
  return named.replace(/^(<svg [^>]*)fill="[^"]*"/, '$1fill="currentColor"');
}

/** `names` are those of the headings in order: a translation has those of the original, so that links lead to the same places. */
function createRenderer(root: string, names: readonly string[]): Marked {
  const marked = new Marked({ gfm: true });
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
        const target = hrefOf(href);
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

/** Returns the file of a page in a language, or the English one where it is not translated. */
function fileOf(root: string, id: string, language: Language): { file: string; language: Language } {
  const name = id === "readme" ? README : `${id}.md`;
  const translated = join(root, "docs", language, name);
  if (language !== "en" && existsSync(translated)) return { file: translated, language };
  return { file: id === "readme" ? join(root, README) : join(root, "docs", name), language: "en" };
}

function renderPage(root: string, id: string, wanted: Language): ManualPage {
  const { file, language } = fileOf(root, id, wanted);
  const source = readFileSync(file, "utf8");
  const names = headingsOf(readFileSync(fileOf(root, id, "en").file, "utf8"));
  const ownTitle = /^# (.*)$/m.exec(source)?.[1] ?? id;
  const title = language === wanted ? ownTitle : (germanTitles[id] ?? ownTitle);
  return { id, title, language, html: createRenderer(root, names).parse(source, { async: false }) };
}

/** Renders every page of the manual in a language. `root` is the root of the repository. */
export const renderManual = (root: string, language: Language): Array<{ id: string; pages: ManualPage[] }> =>
  manualSections.map(({ id, pages }) => ({
    id,
    pages: pages.map((page) => renderPage(root, page, language)),
  }));
