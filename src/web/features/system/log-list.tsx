import { Bug, CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-preact";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { LogLevel, LogLine } from "./log-api.ts";
import { keyOfLine, messageOf } from "./log-lines.ts";

const LEVEL_MARKS: Record<LogLevel, { readonly icon: LucideIcon; readonly colour: string }> = {
  debug: { icon: Bug, colour: "text-soft" },
  info: { icon: Info, colour: "text-info" },
  warning: { icon: TriangleAlert, colour: "text-warning" },
  error: { icon: CircleX, colour: "text-error" },
};

/** Lines of the log. The page scrolls with the lines above unless `isFollowing`. */
export const LogList = ({ lines, isFollowing }: { lines: readonly LogLine[]; isFollowing: boolean }) => (
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
  const { icon: Icon, colour } = LEVEL_MARKS[line.level];
  const time = toMs(line.time) ?? 0;
  return (
    <li class="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1 px-4 py-2 sm:grid-cols-[6rem_9.5rem_minmax(0,1fr)]">
      <span class={`inline-flex items-center gap-1.5 self-start text-sm font-semibold ${colour}`}>
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
