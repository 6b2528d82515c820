import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import type { Resource } from "../../platform/resource.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { SearchBox } from "../form/search-box.tsx";
import { EmptyPanel } from "./empty.tsx";
import { Loaded } from "./loaded.tsx";
import { PageHead } from "./page-head.tsx";

type Rows<Item> = readonly Item[] | { readonly rows: readonly Item[]; readonly total: number };

interface Props<Item> {
  /** Title of the screen, and name of the list. */
  readonly title: string;
  /** True within a page with a title of its own. */
  readonly isWithin?: boolean;
  /** Tabs of the screen, below its title. */
  readonly tabs?: ComponentChildren;
  readonly intro?: ComponentChildren;
  readonly list: Pick<Resource<Rows<Item>>, "data" | "error" | "reload" | "loading"> & {
    readonly more?: () => void;
  };
  /** Current search text; undefined if the list has no search of its own. */
  readonly search?: string;
  readonly searchLabel?: string;
  /** Filters in place of the search. */
  readonly filters?: ComponentChildren;
  /** Buttons at the end of the row of filters. */
  readonly toolbarEnd?: ComponentChildren;
  /** True if the filters exclude rows. */
  readonly isFiltered?: boolean;
  /** Number of all rows, in words. */
  readonly countText?: (total: number) => string;
  readonly icon: LucideIcon;
  /** Text in place of an empty list; `noMatch` if a search or filter excludes everything. */
  readonly none: readonly [title: string, hint: string];
  readonly noMatch?: readonly [title: string, hint: string];
  /** Shown below the text of an empty list, instead of the button that creates an item. */
  readonly emptyAction?: ComponentChildren;
  /** Content beside the title. */
  readonly actions?: ComponentChildren;
  /** Button that creates an item: beside the title, or within an empty list. */
  readonly create?: ComponentChildren;
  /** Notes between the toolbar and the rows. */
  readonly notes?: ComponentChildren;
  readonly moreText?: string;
  /** True if the order of the rows has a meaning. */
  readonly isOrdered?: boolean;
  /** Draws all rows, in place of a list of `children`. */
  readonly table?: (rows: readonly Item[]) => ComponentChildren;
  readonly children?: (item: Item) => ComponentChildren;
}

const isPaged = <Item,>(data: Rows<Item>): data is Exclude<Rows<Item>, readonly Item[]> => "rows" in data;

/** A list of items with its title, search, filters, pages, and the button that creates another item. */
export function ResourceList<Item>(props: Props<Item>) {
  const { list, search = "" } = props;
  const { data } = list;
  const rows = data && (isPaged(data) ? data.rows : data);
  const total = data && (isPaged(data) ? data.total : data.length);
  const shared = { ...props, total, isFiltered: search !== "" || props.isFiltered === true };
  return (
    <div class="flex flex-col gap-5">
      <Head {...shared} />
      <Toolbar {...shared} />
      {props.notes}
      <Loaded of={{ ...list, data: rows }}>
        {(items) => (items.length === 0 ? <EmptyList {...shared} /> : <Items {...shared} rows={items} />)}
      </Loaded>
      {list.more && rows && rows.length < (total ?? 0) && (
        <button type="button" class="btn btn-sm self-center" disabled={list.loading} onClick={list.more}>
          {props.moreText ?? t("common.showMore")}
        </button>
      )}
    </div>
  );
}

type PartProps<Item> = Props<Item> & { readonly total: number | undefined };

function buttonsOf<Item>({ list, total, actions, ...props }: PartProps<Item>): ComponentChildren {
  // Before the first response, the button's position is unknown, and it would move under the pointer.
  const createsInHead = props.isFiltered || (total === undefined ? list.error !== undefined : total > 0);
  const create = (createsInHead || props.emptyAction !== undefined) && props.create;
  return (
    (actions || create) && (
      <>
        {actions}
        {create}
      </>
    )
  );
}

function Head<Item>(props: PartProps<Item>) {
  const { title, isWithin, intro } = props;
  if (isWithin)
    return intro ? (
      <div class="flex flex-wrap items-start justify-between gap-3">
        <p class="max-w-2xl text-soft">{intro}</p>
        <div class="flex flex-wrap gap-2">{buttonsOf(props)}</div>
      </div>
    ) : null;
  return (
    <>
      <PageHead title={title}>{buttonsOf(props)}</PageHead>
      {props.tabs}
      {intro !== undefined && (
        <p class={`max-w-2xl text-soft ${props.tabs === undefined ? "-mt-2" : ""}`}>{intro}</p>
      )}
    </>
  );
}

function Toolbar<Item>(props: PartProps<Item>) {
  const { search = "", searchLabel, total, isWithin, intro, toolbarEnd } = props;
  const { set } = useUrlFilter(["search", ...Object.keys(useLocation().query)]);
  const hasSearch = searchLabel !== undefined && (props.isFiltered || (total ?? 0) > 0);
  const end = toolbarEnd ?? (isWithin && !intro ? buttonsOf(props) : undefined);
  if (!hasSearch && props.filters === undefined && !end) return null;
  return (
    <div class="flex flex-wrap items-center gap-3">
      {hasSearch && (
        <SearchBox label={searchLabel} value={search} onSearch={(text) => set({ search: text })} />
      )}
      {props.filters}
      {props.countText && (
        <span class="text-sm text-soft" role="status">
          {total !== undefined && props.countText(total)}
        </span>
      )}
      {end && <div class="flex flex-wrap gap-2 sm:ml-auto">{end}</div>}
    </div>
  );
}

function EmptyList<Item>(props: Props<Item>) {
  const [title, hint] = (props.isFiltered ? props.noMatch : undefined) ?? props.none;
  return (
    <EmptyPanel icon={props.icon} title={title} hint={hint}>
      {props.emptyAction ?? (!props.isFiltered && props.create)}
    </EmptyPanel>
  );
}

function Items<Item>({ title, rows, table, children, isOrdered }: Props<Item> & { rows: readonly Item[] }) {
  if (table) return table(rows);
  const List = isOrdered ? "ol" : "ul";
  return (
    <List class="panel divide-y divide-base-300/60" aria-label={title}>
      {rows.map((item) => children?.(item))}
    </List>
  );
}
