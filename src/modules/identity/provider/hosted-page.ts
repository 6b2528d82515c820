import { createHash } from "node:crypto";
import { escapeHtml } from "../../../lib/strings/escape-html.ts";
import type { Appearance, ThemeColors } from "../../tenants/tenants.types.ts";
import type { HostedText } from "./hosted-text.ts";

const DARK =
  "--ground:#12171b;--panel:#1a2126;--line:#313b42;--ink:#e4e9ea;--soft:#afb5b8;--edge:#525a5e;--primary:#5cc4d8;--on-primary:#04222a;--bad:#ff8b80";

/** Colors, sizes and radii of the console's themes (src/web/styles.css). */
const HOSTED_STYLES = `
:root{color-scheme:light dark;--ground:#f3f3f0;--panel:#fff;--line:#dddeda;--ink:#1a2226;--soft:#586063;--edge:#bfc1c2;--primary:#0e5a6b;--on-primary:#fff;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark;${DARK}}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;align-content:center;justify-content:center;background:var(--ground);color:var(--ink);-webkit-font-smoothing:antialiased;
font:15px/1.5 Inter,"Segoe UI Variable Text","Segoe UI",-apple-system,Roboto,Ubuntu,Cantarell,"Noto Sans","DejaVu Sans Condensed",system-ui,sans-serif}
main{width:min(28rem,100vw);padding:2rem 1rem;display:grid;gap:1.5rem}
.brand{display:flex;align-items:center;gap:.625rem;font-size:1.0625rem;font-weight:600;letter-spacing:-.025em}.brand img{height:1.75rem;max-width:10rem;object-fit:contain}
.panel{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:1.5rem}
h1{margin:0 0 1rem;font-size:1.25rem;line-height:1.4;font-weight:600;letter-spacing:-.025em}
p{margin:0 0 .75rem;overflow-wrap:anywhere}form{display:grid;gap:1rem}label{display:grid;gap:.375rem;font-size:.875rem;font-weight:500}
input{width:100%;height:2.5rem;padding:0 .75rem;font:inherit;font-size:1rem;font-weight:400;color:inherit;background:var(--panel);border:1px solid var(--edge);border-radius:.3rem}
button{height:2.5rem;font:inherit;font-weight:500;color:var(--on-primary);background:var(--primary);border:0;border-radius:.3rem;cursor:pointer}
button,.button{display:grid;place-items:center;text-align:center}.button{min-height:2.5rem;padding:.25rem .75rem;font-weight:500;border-radius:.3rem;text-decoration:none;color:var(--on-primary)!important;background:var(--primary)}
.or{margin:0;font-size:.875rem;color:var(--soft);text-align:center}
button:hover,.button:hover{filter:brightness(.92)}a{color:var(--primary);text-underline-offset:3px}.links{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin:1.25rem 0 0;font-size:.9375rem}
.links form{display:contents}.links button{height:auto;padding:0;background:none;color:var(--primary);text-decoration:underline;text-underline-offset:3px;font-weight:400}
small{font-weight:400;color:var(--soft);font-size:.8125rem}
input:focus-visible,button:focus-visible,a:focus-visible{outline:2px solid var(--primary);outline-offset:2px}
.bad{margin:0;padding:.75rem 1rem;border:1px solid var(--line);border-left:4px solid var(--bad);border-radius:.4rem}
code{display:block;padding:.5rem .75rem;background:var(--ground);border-radius:.3rem;font:.875rem/1.5 ui-monospace,"Cascadia Mono","Roboto Mono","DejaVu Sans Mono",monospace}`;

/** Returns the styles, with the site's own colors if set. */
export function stylesFor({ colors }: Appearance): string {
  if (colors === null) return HOSTED_STYLES;
  const of = ({ primary, onPrimary }: ThemeColors) => `--primary:${primary};--on-primary:${onPrimary}`;
  const dark = of(colors.dark);
  return `${HOSTED_STYLES}
:root{${of(colors.light)}}@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}:root[data-theme=dark]{${dark}}`;
}

/** Returns a stylesheet name derived from its content, so that browsers do not use a cached older one. */
const stylesheet = (appearance: Appearance): string =>
  `/idp/style.css?v=${createHash("sha256").update(stylesFor(appearance)).digest("hex").slice(0, 8)}`;

const PRODUCT = "Lineside";

const brand = ({ name, logo }: Appearance): string =>
  `<div class="brand"><img src="${escapeHtml(logo ?? "/favicon.svg")}" alt="">${escapeHtml(name ?? PRODUCT)}</div>`;

/** Renders the frame of the hosted pages: plain HTML that works without JavaScript and looks like the console, with its own stylesheet. */
export function renderHostedPage(page: {
  readonly text: HostedText;
  readonly title: string;
  readonly theme: string | undefined;
  readonly appearance: Appearance;
  /** HTML with escaped values. */
  readonly body: string;
}): string {
  const theme = page.theme === undefined ? "" : ` data-theme="${escapeHtml(page.theme)}"`;
  return `<!doctype html><html lang="${page.text.language}"${theme}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${page.title} · ${escapeHtml(page.appearance.name ?? PRODUCT)}</title><link rel="icon" href="${escapeHtml(page.appearance.logo ?? "/favicon.svg")}"><link rel="stylesheet" href="${stylesheet(page.appearance)}"></head><body><main>
${brand(page.appearance)}
<div class="panel"><h1>${page.title}</h1>${page.body}</div></main></body></html>`;
}
