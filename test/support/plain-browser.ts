import type { TestApp } from "./test-app.ts";

export interface PlainPage {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  readonly title: string;
  /** What the page says is wrong. */
  readonly alert: string | undefined;
  /** Where a link with that text leads. */
  linkTo(text: string): string;
  /** Sends the page's form with what was typed in. */
  submit(typed: Record<string, string>): Promise<PlainPage>;
}

const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => {
    const existing: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
    return existing[name] ?? "";
  });

/** A browser without JavaScript that keeps cookies and fills in forms; it follows no redirect. */
export function createPlainBrowser(fixture: TestApp, headers: Record<string, string> = {}) {
  const cookies = new Map<string, string>();

  async function call(method: string, path: string, raw?: string): Promise<PlainPage> {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fixture.call(method, path, {
      ...(raw !== undefined && { raw }),
      headers: {
        ...headers,
        ...(cookie !== "" && { cookie }),
        ...(raw !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";")[0]?.split("=") ?? [];
      cookies.set(name, value);
    }
    const html = response.text;
    const alert = /role="alert">([^<]*)</.exec(html)?.[1];
    return {
      status: response.status,
      html,
      headers: response.headers,
      title: unescapeHtml(/<h1>([^<]*)</.exec(html)?.[1] ?? ""),
      alert: alert === undefined ? undefined : unescapeHtml(alert),
      linkTo(text) {
        const link = [...html.matchAll(/<a (?:class="\w+" )?href="([^"]*)">([^<]*)</g)].find(
          ([, , label]) => label === text,
        );
        return unescapeHtml(link?.[1] ?? "");
      },
      submit(typed) {
        const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1];
        if (action === undefined) throw new Error(`the page has no form`);
        const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
        const fields = Object.fromEntries(
          hidden.map(([, name = "", value = ""]) => [name, unescapeHtml(value)]),
        );
        return call("POST", action, new URLSearchParams({ ...fields, ...typed }).toString());
      },
    };
  }

  return { cookies, open: (path: string) => call("GET", path) };
}
