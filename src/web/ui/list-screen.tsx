import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import type { Resource } from "../platform/resource.ts";
import { EmptyPanel } from "./empty-panel.tsx";
import { ErrorNote } from "./error-note.tsx";
import { PageHead } from "./page-head.tsx";
import { SearchBox } from "./search-box.tsx";

interface Props {
  readonly title: string;
  /** Tabs of the screen, below its title. */
  readonly tabs?: ComponentChildren;
  readonly intro?: string;
  readonly list: Pick<Resource<unknown>, "error" | "reload">;
  /** Number of items; undefined before the first response. */
  readonly count: number | undefined;
  /** The text that is searched for; left out where the list has no search. */
  readonly search?: string;
  readonly searchLabel?: string;
  /** Text beside the search. */
  readonly countText?: string | undefined;
  readonly icon: LucideIcon;
  /** Text in place of an empty list; `noMatch` if a search found nothing. */
  readonly none: readonly [title: string, hint: string];
  readonly noMatch?: readonly [title: string, hint: string];
  /** Content beside the title. */
  readonly actions?: ComponentChildren;
  /** Creates one: beside the title, or in the middle of an empty list. */
  readonly create: ComponentChildren;
  /** The order of the rows means something. */
  readonly isOrdered?: boolean;
  readonly children: ComponentChildren;
}

/** Returns false before the place of the button is known: it would move under the pointer. */
const createsInHead = ({ search = "", count, list }: Props): boolean =>
  search !== "" || (count === undefined ? list.error !== undefined : count > 0);

/** A list with its title, its search and the way to create one more; the children are its rows. */
export function ListScreen(props: Props) {
  const { title, list, count, search = "", searchLabel } = props;
  const { path, route } = useLocation();
  const isEmpty = count === 0;
  const isSearch = search !== "";
  const [emptyTitle, emptyHint] = (isSearch ? props.noMatch : undefined) ?? props.none;
  const List = props.isOrdered ? "ol" : "ul";
  return (
    <>
      <PageHead title={title}>
        {props.actions}
        {createsInHead(props) && props.create}
      </PageHead>
      {props.tabs}
      {props.intro !== undefined && (
        <p class={`max-w-2xl text-soft ${props.tabs === undefined ? "-mt-2" : ""}`}>{props.intro}</p>
      )}
      {searchLabel !== undefined && (isSearch || (count ?? 0) > 0) && (
        <div class="flex flex-wrap items-center gap-3">
          <SearchBox
            label={searchLabel}
            value={search}
            onSearch={(text) => route(text ? `${path}?search=${encodeURIComponent(text)}` : path, true)}
          />
          {props.countText !== undefined && <span class="text-sm text-soft">{props.countText}</span>}
        </div>
      )}
      <ErrorNote of={list} />
      {isEmpty && (
        <EmptyPanel icon={props.icon} title={emptyTitle} hint={emptyHint}>
          {!isSearch && props.create}
        </EmptyPanel>
      )}
      {count !== undefined && !isEmpty && (
        <List class="panel divide-y divide-base-300/60" aria-label={title}>
          {props.children}
        </List>
      )}
    </>
  );
}
