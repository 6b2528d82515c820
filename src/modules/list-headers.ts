/** Headers of a list's answer: how many there are in all, and where the next ones are (RFC 8288). */
export function listHeaders(
  url: string,
  page: { total: number; limit: number; offset: number },
): Record<string, string> {
  const headers: Record<string, string> = { "x-total-count": String(page.total) };
  const next = page.offset + page.limit;
  if (next < page.total) {
    const target = new URL(url);
    target.searchParams.set("offset", String(next));
    target.searchParams.set("limit", String(page.limit));
    headers.link = `<${target.pathname}${target.search}>; rel="next"`;
  }
  return headers;
}
