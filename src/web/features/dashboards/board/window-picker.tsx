import { useState } from "preact/hooks";
import { isWindowId, WINDOW_IDS, WINDOWS } from "../../../lib/time-window.ts";
import { ownZone, toZonedText } from "../../../lib/zoned-time.ts";
import { formatDateRange } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { now } from "../../../platform/now.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import type { WindowSpec } from "../dashboards-api.ts";
import type { Bounds } from "../widgets/widget.types.ts";

const CALENDAR = [
  ["today", { unit: "day", offset: 0 }],
  ["yesterday", { unit: "day", offset: -1 }],
  ["thisWeek", { unit: "week", offset: 0 }],
  ["lastWeek", { unit: "week", offset: -1 }],
  ["thisMonth", { unit: "month", offset: 0 }],
  ["lastMonth", { unit: "month", offset: -1 }],
  ["thisYear", { unit: "year", offset: 0 }],
] as const;

/** Returns the ids of the named windows with their texts. */
export const windowChoices = (): ReadonlyArray<readonly [id: string, text: string]> => [
  ...WINDOW_IDS.map((id) => [id, t(`window.${id}`)] as const),
  ...CALENDAR.map(([id]) => [id, t(`board.${id}`)] as const),
];

/** Returns the window of an option; undefined for a fixed one. */
export function windowOfChoice(id: string): WindowSpec | undefined {
  if (isWindowId(id)) return { mode: "live", durationMs: WINDOWS[id] };
  const calendar = CALENDAR.find(([name]) => name === id);
  return calendar && { mode: "calendar", ...calendar[1], timezone: ownZone() };
}

/** Returns the option of a window; `fixed` for two times. */
export function choiceOf({ mode, durationMs, unit, offset = 0 }: WindowSpec): string {
  if (mode === "calendar")
    return CALENDAR.find(([, of]) => of.unit === unit && of.offset === offset)?.[0] ?? "fixed";
  return WINDOW_IDS.find((id) => WINDOWS[id] === durationMs) ?? "fixed";
}

/** Returns the name of a window. */
export const windowText = (window: WindowSpec): string => {
  const choice = choiceOf(window);
  return windowChoices().find(([id]) => id === choice)?.[1] ?? t("board.windowFixed");
};

interface Props {
  /** True on a wall, which has no controls. */
  readonly isHidden?: boolean;
  readonly window: WindowSpec;
  readonly boundsNow: () => Bounds;
  readonly onChange: (window: WindowSpec) => void;
}

export function WindowPicker({ isHidden = false, ...props }: Props) {
  return isHidden ? null : <Picker {...props} />;
}

function Picker({ window, boundsNow, onChange }: Omit<Props, "isHidden">) {
  redrawOn(now);
  const bounds = boundsNow();
  const [isCustom, setCustom] = useState(false);
  const choice = choiceOf(window);
  const selectWindow = (id: string) => {
    setCustom(id === "fixed");
    onChange(windowOfChoice(id) ?? { mode: "absolute", ...bounds });
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
            value={toZonedText(bounds[name], ownZone())}
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
