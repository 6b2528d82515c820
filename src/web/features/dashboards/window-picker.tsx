import { useState } from "preact/hooks";
import { isWindowId, WINDOW_IDS, WINDOWS } from "../../lib/time-window.ts";
import { formatDateRange } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import type { WindowSpec } from "./dashboards-api.ts";
import type { Bounds } from "./widgets/widget.types.ts";

const CALENDAR = [
  ["today", { unit: "day", offset: 0 }],
  ["yesterday", { unit: "day", offset: -1 }],
  ["thisWeek", { unit: "week", offset: 0 }],
  ["lastWeek", { unit: "week", offset: -1 }],
  ["thisMonth", { unit: "month", offset: 0 }],
  ["lastMonth", { unit: "month", offset: -1 }],
  ["thisYear", { unit: "year", offset: 0 }],
] as const;

/** Returns the choice that stands for a window; `fixed` for two times. */
function choiceOf({ mode, durationMs, unit, offset = 0 }: WindowSpec): string {
  if (mode === "calendar")
    return CALENDAR.find(([, of]) => of.unit === unit && of.offset === offset)?.[0] ?? "fixed";
  return WINDOW_IDS.find((id) => WINDOWS[id] === durationMs) ?? "fixed";
}

/** Formats a time for inputs of type `datetime-local`, in the time zone of the browser. */
function localText(ts: number): string {
  const date = new Date(ts - new Date(ts).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16);
}

interface Props {
  /** True on a wall, where nobody selects anything. */
  readonly isHidden?: boolean;
  readonly window: WindowSpec;
  readonly boundsNow: () => Bounds;
  readonly onChange: (window: WindowSpec) => void;
}

export function WindowPicker({ isHidden = false, ...props }: Props) {
  return isHidden ? null : <Picker {...props} />;
}

function Picker({ window, boundsNow, onChange }: Omit<Props, "isHidden">) {
  void now.value;
  const bounds = boundsNow();
  const [isCustom, setCustom] = useState(false);
  const choice = choiceOf(window);
  const selectWindow = (id: string) => {
    const calendar = CALENDAR.find(([name]) => name === id);
    setCustom(id === "fixed");
    if (isWindowId(id)) onChange({ mode: "live", durationMs: WINDOWS[id] });
    else if (calendar)
      onChange({
        mode: "calendar",
        ...calendar[1],
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      });
    else onChange({ mode: "absolute", ...bounds });
  };
  const set = (changes: Partial<Bounds>) => {
    const next = { ...bounds, ...changes };
    if (next.from < next.to) onChange({ mode: "absolute", ...next });
  };
  const isFixed = choice === "fixed" || isCustom;
  return (
    <div class="flex flex-wrap items-center gap-2">
      <select
        class="select select-sm w-auto print:hidden"
        aria-label={t("board.window")}
        value={isFixed ? "fixed" : choice}
        onChange={(e) => selectWindow(e.currentTarget.value)}
      >
        <optgroup label={t("board.windowLive")}>
          {WINDOW_IDS.map((id) => (
            <option key={id} value={id}>
              {t(`window.${id}`)}
            </option>
          ))}
        </optgroup>
        <optgroup label={t("board.windowCalendar")}>
          {CALENDAR.map(([id]) => (
            <option key={id} value={id}>
              {t(`board.${id}`)}
            </option>
          ))}
        </optgroup>
        <option value="fixed">{t("board.windowFixed")}</option>
      </select>
      {isFixed ? (
        (["from", "to"] as const).map((name) => (
          <input
            key={name}
            class="input input-sm w-auto"
            type="datetime-local"
            aria-label={t(`board.${name}`)}
            value={localText(bounds[name])}
            onChange={(e) => {
              const ts = new Date(e.currentTarget.value).getTime();
              if (Number.isFinite(ts)) set({ [name]: ts });
            }}
          />
        ))
      ) : (
        // On a phone a live window is said by its length alone.
        <span class={`text-sm text-soft ${window.mode === "live" ? "max-sm:hidden" : ""}`}>
          {formatDateRange(bounds.from, bounds.to)}
        </span>
      )}
    </div>
  );
}
