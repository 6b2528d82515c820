import {
  ArrowUp,
  Bug,
  CircleX,
  Download,
  Info,
  type LucideIcon,
  Pause,
  Play,
  ScrollText,
  TriangleAlert,
} from "lucide-preact";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { oneOf } from "../../../lib/console/console-routes.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { LOG_LEVELS, type LogFilter, type LogLevel, type LogLine, logApi } from "./log-api.ts";

// Lists of lines of the log, the newest first.
/** The number of lines that the gateway keeps. */
const LINES_MAX = 2_000;

/** Line numbers start again when the gateway restarts, so the time is a part of a line's key. */
const keyOfLine = ({ sequence, time }: LogLine): string => `${sequence}-${time}`;

const indexOfLine = (lines: readonly LogLine[], line: LogLine): number => {
  const key = keyOfLine(line);
  return lines.findIndex((item) => keyOfLine(item) === key);
};

/**
 * Returns `newest` followed by the older lines of `shown`. If they have no line in common, lines may be missing between them; the older ones are
 * then left out.
 */
export function withNewest(shown: readonly LogLine[], newest: readonly LogLine[]): readonly LogLine[] {
  const oldest = newest.at(-1);
  const index = oldest === undefined ? -1 : indexOfLine(shown, oldest);
  return index < 0 ? newest : [...newest, ...shown.slice(index + 1)].slice(0, LINES_MAX);
}

/** Returns `lines` without those newer than the first of `shown`, so that the reader's place does not move. */
export function withoutNewer(shown: readonly LogLine[], lines: readonly LogLine[]): readonly LogLine[] {
  const [first] = shown;
  return first === undefined ? lines : lines.slice(Math.max(0, indexOfLine(lines, first)));
}

/** Returns the logger, the message and the fields of a line, without the time and the level in front of them. */
export function messageOf({ text, time, level }: LogLine): string {
  const prefix = `${time} ${level.toUpperCase().padEnd(7)} `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

const PAGE_SIZE = 200;
const FOLLOW_MS = 3_000;

interface Shown {
  readonly lines: readonly LogLine[];
  /** Number of lines of the gateway that match the filter. */
  readonly total: number;
  /** Key of the filter that the lines match. */
  readonly key: string;
}

/** The newest lines of the log that match a filter. In follow mode it requests new ones. */
function useLog(filter: LogFilter, isFollowing: boolean) {
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [attempts, setAttempts] = useState(0);
  const key = JSON.stringify([filter.level, filter.search]);
  /** Key of the filter whose lines have been loaded. */
  const loaded = useRef<string | undefined>(undefined);

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      try {
        const { rows, total } = await logApi.list(filter, PAGE_SIZE);
        if (isOver) return;
        loaded.current = key;
        setShown((now) => ({ key, total, lines: now?.key === key ? withNewest(now.lines, rows) : rows }));
        setError(undefined);
      } catch (failure) {
        if (!isOver) setError(failure);
      }
    };
    const follow = async () => {
      const isMissing = loaded.current !== key;
      if (isMissing || (isFollowing && document.visibilityState === "visible")) await load();
      // Only after the response: a slow gateway must not be asked faster than it answers.
      if (isFollowing && !isOver) timer = setTimeout(follow, FOLLOW_MS);
    };
    follow();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, isFollowing, attempts]);

  /** Appends a page of older lines. */
  const loadOlder = async () => {
    if (shown === undefined) return;
    const { rows, total } = await logApi.list(filter, shown.lines.length + PAGE_SIZE);
    setShown((now) => (now?.key === key ? { key, total, lines: withoutNewer(now.lines, rows) } : now));
  };
  return { shown, error, loadOlder, retry: () => setAttempts((count) => count + 1) };
}

const NAMES = ["level", "search"] as const;
const FILTER_LEVELS = ["info", "warning", "error"] as const;

/** The log of the running gateway, in follow mode while the newest lines are in view. */
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

/** Returns whether the page is scrolled past the element. */
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

/** Saves all matching lines, including those not shown. */
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

/** Setting of the log level of the running gateway. */
function LogLevelSetting() {
  const resource = useKept(logApi.level, []);
  const action = useAction();
  const change = (level: LogLevel) =>
    action.run(async () => {
      resource.set(await logApi.setLevel(level));
      toast("success", t("log.levelChanged"));
    });
  return (
    <Section id="log-level" title={t("log.levelTitle")}>
      <Loaded of={resource}>
        {(current) => (
          <div class="max-w-xl">
            <SelectField
              label={t("log.level")}
              hint={t("log.levelHint")}
              value={current}
              disabled={action.busy}
              options={LOG_LEVELS}
              text={(level) => t(`logLevel.${level}`)}
              onSelect={change}
            />
          </div>
        )}
      </Loaded>
      <ErrorNote error={action.error} />
    </Section>
  );
}

const LEVEL_MARKS: Record<LogLevel, { readonly icon: LucideIcon; readonly color: string }> = {
  debug: { icon: Bug, color: "text-soft" },
  info: { icon: Info, color: "text-info" },
  warning: { icon: TriangleAlert, color: "text-warning" },
  error: { icon: CircleX, color: "text-error" },
};

/** Lines of the log. The page scrolls with new lines unless `isFollowing`. */
const LogList = ({ lines, isFollowing }: { lines: readonly LogLine[]; isFollowing: boolean }) => (
  <ol
    class={`panel divide-y divide-base-300/60 ${isFollowing ? "[overflow-anchor:none]" : ""}`}
    aria-label={t("log.lines")}
  >
    {lines.map((line) => (
      <Line key={keyOfLine(line)} line={line} />
    ))}
  </ol>
);

function Line({ line }: { line: LogLine }) {
  const { icon: Icon, color } = LEVEL_MARKS[line.level];
  const time = toMs(line.time) ?? 0;
  return (
    <li class="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1 px-4 py-2 sm:grid-cols-[6rem_9.5rem_minmax(0,1fr)]">
      <span class={`inline-flex items-center gap-1.5 self-start text-sm font-semibold ${color}`}>
        <Icon size={15} class="flex-none" aria-hidden="true" />
        {t(`logLevel.${line.level}`)}
      </span>
      <time
        class="reading text-right text-sm text-soft sm:text-left"
        dateTime={line.time}
        title={formatDate(time, "zoned")}
      >
        {formatDate(time, "day")} {formatDate(time, "time")}
      </time>
      <code class="reading col-span-full text-sm wrap-anywhere whitespace-pre-wrap sm:col-span-1">
        {messageOf(line)}
      </code>
    </li>
  );
}
