import type { ApiClient } from "../api-client.ts";
import type { Fields } from "./site.types.ts";

const PAGE_ITEMS = 1_000;

/** Returns the items of all pages of a list. */
export async function listAll(api: ApiClient, path: string): Promise<Fields[]> {
  const all: Fields[] = [];
  for (;;) {
    const page = await api.get<Fields[]>(`${path}?limit=${PAGE_ITEMS}&offset=${all.length}`);
    all.push(...page);
    if (page.length < PAGE_ITEMS) return all;
  }
}
