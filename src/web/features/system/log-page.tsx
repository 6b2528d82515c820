import { ArrowUp, Download, Pause, Play, ScrollText } from "lucide-preact";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { oneOf } from "../../../lib/console-routes.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyPanel } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { useAction } from "../../ui/use-form.ts";
import { LOG_LEVELS, type LogFilter, logApi } from "./log-api.ts";
import { LogLevelSetting } from "./log-level-setting.tsx";
import { LogList } from "./log-list.tsx";
import { useLog } from "./use-log.ts";

const NAMES = ["level", "search"] as const;
const FILTER_LEVELS = ["info", "warning", "error"] as const;

/** The log of the running gateway, followed while the reader is at its newest lines. */
export function LogPage() {
  const { filter: query, set } = useUrlFilter(NAMES);
  const filter: LogFilter = { level: oneOf(LOG_LEVELS, query.level), search: query.search };
  const [isPaused, setPaused] = useState(false);
  const top = useRef<HTMLDivElement>(null);
  const isScrolled = useIsScrolledPast(top);
  const isFollowing = !isPaused && !isScrolled;
  const { shown, error, loadOlder, retry } = useLog(filter, isFollowing);
  return (
    <div class="flex flex-col gap-5">
      <LogLevelSetting />
      <div class="flex flex-wrap items-center gap-2">
        <FilterFields filter={filter} onChange={set} />
        <span class="flex flex-wrap items-center gap-2 sm:ml-auto">
          <Button icon={isPaused ? Play : Pause} size={14} onClick={() => setPaused(!isPaused)}>
            {t(isPaused ? "common.resume" : "common.pause")}
          </Button>
          <DownloadButton filter={filter} />
        </span>
      </div>
      <div ref={top} class="flex flex-wrap justify-between gap-x-4 text-sm text-soft">
        <p role="status">{t(isFollowing ? "log.following" : isPaused ? "log.paused" : "log.scrolled")}</p>
        {shown && <p>{plural("log.count", shown.total)}</p>}
      </div>
      <Loaded of={{ data: shown, error, reload: retry }}>
        {({ key, lines, total }) => (
          <>
            {lines.length === 0 && <NoLines filter={filter} />}
            {lines.length > 0 && <LogList lines={lines} isFollowing={isFollowing} />}
            {lines.length < total && <OlderButton key={key} onLoad={loadOlder} />}
          </>
        )}
      </Loaded>
      {isScrolled && <NewestButton top={top} />}
    </div>
  );
}

function FilterFields(props: {
  filter: LogFilter;
  onChange: (changes: { level?: string; search?: string }) => void;
}) {
  const { filter, onChange } = props;
  return (
    <>
      <SearchBox label={t("log.search")} value={filter.search} onSearch={(search) => onChange({ search })} />
      <FilterSelect
        class="w-full sm:w-52"
        label={t("log.filter")}
        all={t("log.all")}
        value={filter.level ?? ""}
        options={FILTER_LEVELS.map((id) => ({ id, text: t(`log.from.${id}`) }))}
        onSelect={(level) => onChange({ level })}
      />
    </>
  );
}

function NoLines({ filter }: { filter: LogFilter }) {
  const isFiltered = filter.level !== undefined || filter.search !== "";
  return (
    <EmptyPanel
      icon={ScrollText}
      title={t(isFiltered ? "log.noMatch" : "log.none")}
      hint={t(isFiltered ? "log.noMatchHint" : "log.noneHint")}
    />
  );
}

/** Whether the page is scrolled so far down that the element is above what is visible. */
function useIsScrolledPast(element: RefObject<HTMLElement>): boolean {
  const [isPast, setPast] = useState(false);
  useEffect(() => {
    const scroller = element.current?.closest("main");
    const update = () => {
      const bottom = element.current?.getBoundingClientRect().bottom ?? 0;
      setPast(bottom < (scroller?.getBoundingClientRect().top ?? 0));
    };
    scroller?.addEventListener("scroll", update, { passive: true });
    return () => scroller?.removeEventListener("scroll", update);
  }, []);
  return isPast;
}

const NewestButton = ({ top }: { top: RefObject<HTMLElement> }) => (
  <p class="panel sticky bottom-3 flex flex-wrap items-center gap-x-3 gap-y-1 self-center px-3 py-2 text-sm shadow-lg">
    {t("log.scrolled")}
    <Button icon={ArrowUp} size={14} onClick={() => top.current?.scrollIntoView({ block: "center" })}>
      {t("log.toNewest")}
    </Button>
  </p>
);

function OlderButton({ onLoad }: { onLoad: () => Promise<void> }) {
  const action = useAction();
  return (
    <>
      <ErrorNote error={action.error} />
      <button type="button" class="btn self-center" disabled={action.busy} onClick={() => action.run(onLoad)}>
        {t("log.older")}
      </button>
    </>
  );
}

/** Saves all lines that match, also those that are not shown. */
function DownloadButton({ filter }: { filter: LogFilter }) {
  const action = useAction();
  const download = () =>
    action.run(async () => {
      saveFile(await logApi.download(filter), "lineside.log");
      toast("success", t("log.downloaded"));
    });
  return (
    <>
      <Button icon={Download} size={14} disabled={action.busy} onClick={download}>
        {t("common.download")}
      </Button>
      <ErrorNote error={action.error} />
    </>
  );
}
