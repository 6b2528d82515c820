/**
 * Common parts of the API's lists: `limit`, `offset`, `search`, `sort` and the total number. Lists that are read whole are searched, sorted and
 * paged here; unbounded lists do so in their query, with the parts below.
 */
import type { RowList, RowPage } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { LIST_LIMIT_DEFAULT, pageQuery, searchQuery, sortQuery } from "./lists.schemas.ts";
import { asResponse, listResponse } from "./responses.ts";

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export const toPage = ({ limit = LIST_LIMIT_DEFAULT, offset = 0 }: PageQuery): Page => ({ limit, offset });

/** Returns the headers of a list: the total number of items, and the link to the next page (RFC 8288). */
export function listHeaders(url: string, page: Page & { total: number }): Record<string, string> {
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

/** Parts of a request's context that a list reads and writes. */
interface ListContext {
  readonly query: WholeListQuery;
  readonly request: { readonly url: string };
  readonly set: { headers: object };
}

interface WholeListQuery extends PageQuery {
  readonly search?: string | undefined;
  readonly sort?: string | undefined;
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  const [a, b] = [String(left).toLowerCase(), String(right).toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}

const isMissing = (value: unknown): boolean => value === undefined || value === null;

/**
 * Creates a list that is read whole because its length is limited. Items without a value of the sort field come last in either order; equal items
 * keep their order.
 */
export function wholeList(list: { readonly sort: readonly string[]; readonly search: readonly string[] }) {
  const matches = (item: object, part: string) =>
    list.search.some((field) =>
      String(Reflect.get(item, field) ?? "")
        .toLowerCase()
        .includes(part),
    );

  function sorted<Item extends object>(items: readonly Item[], sort: string): Item[] {
    const isReverse = sort.startsWith("-");
    const field = isReverse ? sort.slice(1) : sort;
    const order = isReverse ? -1 : 1;
    return items.toSorted((left, right) => {
      const [a, b]: unknown[] = [Reflect.get(left, field), Reflect.get(right, field)];
      if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
      return order * compare(a, b);
    });
  }

  function cut<Item extends object>(query: WholeListQuery, url: string, items: readonly Item[]) {
    const part = query.search?.toLowerCase();
    const found = part === undefined ? items : items.filter((item) => matches(item, part));
    const ordered = query.sort === undefined ? found : sorted(found, query.sort);
    const page = toPage(query);
    return {
      items: ordered.slice(page.offset, page.offset + page.limit),
      headers: listHeaders(url, { ...page, total: found.length }),
    };
  }

  return {
    /** Fields of the query's schema. */
    fields: { ...pageQuery, search: searchQuery(list.search), sort: sortQuery(list.sort) },
    /** Returns the requested page and sets the headers of the list. */
    page<Item extends object>({ query, request, set }: ListContext, items: readonly Item[]): Item[] {
      const { items: page, headers } = cut(query, request.url, items);
      Object.assign(set.headers, headers);
      return page;
    },
    /** Sends the page that the query asks for. Rows are searched and sorted by their keys. */
    async longPage<Head extends object, Item>(
      {
        query,
        request,
        responses,
      }: Pick<ListContext, "query"> & { request: Request; responses: ResponseSpace },
      rows: RowList<Item, Head>,
    ): Promise<Item[]> {
      const { items: keys, headers } = cut(query, request.url, rows.keys);
      return sendRows({ request, responses }, headers, { ...rows, keys });
    },
  };
}

/** Request for a list of rows that may be long, and space for its response. */
interface LongList {
  readonly request: Request;
  readonly responses: ResponseSpace;
}

/** Sends a page of rows with the headers of a list. */
export const sendPage = <Item, Key>(
  { request, responses }: LongList,
  page: Page,
  { total, ...rows }: RowPage<Item, Key>,
): Promise<Item[]> => sendRows({ request, responses }, listHeaders(request.url, { ...page, total }), rows);

/** Sends rows by reading one at a time. */
export async function sendRows<Item, Key>(
  { request, responses }: LongList,
  headers: Readonly<Record<string, string>>,
  { keys, read }: RowList<Item, Key>,
): Promise<Item[]> {
  const slices = eachRow(keys, read);
  return asResponse<Item[]>(await listResponse(responses, request, { count: keys.length, slices, headers }));
}

function* eachRow<Key, Item>(keys: readonly Key[], read: (key: Key) => Item | undefined): Generator<Item[]> {
  for (const key of keys) {
    const item = read(key);
    yield item === undefined ? [] : [item];
  }
}
