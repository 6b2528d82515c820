/** The hosted sign-in page: plain HTML that works without JavaScript, styled by one stylesheet of its own. */
export interface SignInPage {
  readonly email: string;
  readonly message: string | undefined;
  readonly setupRequired: boolean;
  /** Carried through the form: `redirect_uri`, `state`, `code_challenge`. */
  readonly hidden: Record<string, string | undefined>;
}

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");

export const signInStyles = `
:root{color-scheme:light dark;--bg:#f2f4f5;--card:#fff;--ink:#16202a;--soft:#55636f;--line:#c9d1d8;--accent:#0b6e78;--on:#fff;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#0f1518;--card:#182126;--ink:#e8eef1;--soft:#9fb0ba;--line:#35434b;--accent:#4cc2cc;--on:#06272a;--bad:#ff8a80}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:min(24rem,calc(100vw - 2rem));background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:2rem}
h1{font-size:1.35rem;margin:0 0 .25rem}p{color:var(--soft);margin:.25rem 0 1.25rem}label{display:block;font-weight:600;margin:1rem 0 .35rem}
input{width:100%;font:inherit;padding:.65rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:transparent;color:inherit}
input:focus-visible,button:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
button{width:100%;margin-top:1.5rem;padding:.75rem;font:inherit;font-weight:600;border:0;border-radius:.5rem;background:var(--accent);color:var(--on);cursor:pointer}
.bad{color:var(--bad);font-weight:600;margin:1rem 0 0}`;

export function renderSignInPage(page: SignInPage): string {
  const hidden = Object.entries(page.hidden)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join("");
  const message =
    page.message === undefined ? "" : `<p class="bad" role="alert">${escapeHtml(page.message)}</p>`;
  const hint = page.setupRequired
    ? "This gateway has no owner yet: open the set-up link that its log shows."
    : "Sign in to this gateway.";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Sign in · Lineside</title><link rel="stylesheet" href="/idp/style.css"></head><body><main>
<h1>Lineside</h1><p>${hint}</p><form method="post" action="/idp/authorize">${hidden}
<label for="email">E-mail</label><input id="email" name="email" type="email" autocomplete="username" required autofocus value="${escapeHtml(page.email)}">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
${message}<button type="submit">Sign in</button></form></main></body></html>`;
}
