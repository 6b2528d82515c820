import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked, type Tokens } from "marked";

/** Page of the console's manual; the texts are those of `docs/`. */
export interface ManualPage {
  readonly id: string;
  readonly title: string;
  readonly html: string;
}

/** Sorted in the order in which one needs them; a text that is not among them is found by a test. */
export const manualSections: ReadonlyArray<{ readonly id: string; readonly pages: readonly string[] }> = [
  { id: "devices", pages: ["devices", "gateways", "connecting-securely", "device-protocol"] },
  {
    id: "networks",
    pages: ["integrations", "integration-formats", "scripts", "webhooks"],
  },
  {
    id: "rules",
    pages: ["pipelines", "alarms", "notifications", "scheduler", "generators", "dashboards"],
  },
  { id: "users", pages: ["sign-in", "users", "permissions", "tenants", "audit", "mail"] },
  {
    id: "operation",
    pages: [
      "operations",
      "proxy",
      "api",
      "configuration",
      "architecture",
      "glossary",
      "storage-format",
      "benchmarks",
    ],
  },
];

/** Returns what leads to another text of the manual leads to its page; other files are not here. */
function hrefOf(href: string): string | undefined {
  const [path = "", anchor] = href.split("#");
  if (/^(https?:|mailto:)/.test(href) || href.startsWith("#")) return href;
  if (!path.endsWith(".md") || path.includes("/")) return undefined;
  return `/manual/${basename(path, ".md")}${anchor === undefined ? "" : `#${anchor}`}`;
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .trim()
    .replaceAll(" ", "-");

function createRenderer(): Marked {
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const inner = this.parser.parseInline(tokens);
        // The page's own heading is the first.
        return depth === 1 ? "" : `<h${depth} id="${slugOf(text)}">${inner}</h${depth}>\n`;
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
      image: () => "",
    },
  });
  return marked;
}

/** Every page of the manual, rendered. */
export function renderManual(docs: string): Array<{ id: string; pages: ManualPage[] }> {
  const marked = createRenderer();
  return manualSections.map(({ id, pages }) => ({
    id,
    pages: pages.map((name) => {
      const source = readFileSync(join(docs, `${name}.md`), "utf8");
      const title = /^# (.*)$/m.exec(source)?.[1] ?? name;
      return { id: name, title, html: marked.parse(source, { async: false }) };
    }),
  }));
}
