/** Adds the base path to addresses of the gateway itself: HTML attributes that start with one slash. */
export const prefixLinks = (html: string, base: string): string =>
  html.replace(
    /\b(href|src|action)="(\/[^"]*)"/g,
    (_, name: string, path: string) => `${name}="${prefixed(path, base)}"`,
  );

function prefixed(path: string, base: string): string {
  const isOwn = path.startsWith("/") && !path.startsWith("//");
  return isOwn && path !== base && !path.startsWith(`${base}/`) ? `${base}${path}` : path;
}

const isPage = (headers: Headers): boolean =>
  (headers.get("content-type") ?? "").startsWith("text/html") && !headers.has("content-encoding");

/** Adds the base path to redirects, cookies, `Link` headers and HTML pages. */
export async function withBasePath(response: Response, base: string): Promise<Response> {
  // There is no response after an upgrade to a WebSocket.
  if (!(response instanceof Response)) return response;
  const { headers } = response;
  const location = headers.get("location");
  if (location !== null) headers.set("location", prefixed(location, base));
  const link = headers.get("link");
  if (link !== null)
    headers.set(
      "link",
      link.replace(/<(\/[^<>]*)>/g, (_, path) => `<${prefixed(path, base)}>`),
    );
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) headers.delete("set-cookie");
  for (const cookie of cookies)
    headers.append(
      "set-cookie",
      cookie.replace(/; Path=(\/[^;]*)/i, (_, path) => `; Path=${prefixed(path, base)}`),
    );
  if (!isPage(headers) || response.body === null) return response;
  headers.delete("content-length");
  return new Response(prefixLinks(await response.text(), base), { status: response.status, headers });
}
