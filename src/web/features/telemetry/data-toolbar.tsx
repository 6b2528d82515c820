import { ChevronLeft, ChevronRight, Play } from "lucide-preact";
import type { ComponentChildren } from "preact";
import type { Aggregation } from "../../lib/api-types.ts";
import { type TimeWindow, WINDOW_IDS } from "../../lib/time-window.ts";
import { formatDateRange } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

export const VIEWS = ["lanes", "overlay", "table"] as const;
export type View = (typeof VIEWS)[number];

interface ToolbarProps {
  readonly window: TimeWindow;
  readonly view: View;
  readonly keyPicker: ComponentChildren;
  readonly menu: ComponentChildren;
  readonly onWindow: (window: TimeWindow) => void;
  readonly onView: (view: View) => void;
}

/** The most used controls: time window, values and view. All others are in the menu. */
export const DataToolbar = (props: ToolbarProps) => (
  <div class="flex flex-wrap items-center justify-between gap-2">
    <Segments
      label={t("data.window")}
      items={WINDOW_IDS.map((id) => ({ id, text: t(`window.${id}`) }))}
      current={props.window.kind === "live" ? props.window.id : undefined}
      onSelect={(id) => props.onWindow({ kind: "live", id })}
    />
    <div class="flex items-center gap-2 max-sm:w-full">
      {props.keyPicker}
      <select
        class="select select-sm w-auto min-w-32"
        aria-label={t("data.view")}
        value={props.view}
        onChange={(e) => {
          const selected = VIEWS.find((view) => view === e.currentTarget.value);
          if (selected) props.onView(selected);
        }}
      >
        {VIEWS.map((id) => (
          <option key={id} value={id}>
            {t(`view.${id}`)}
          </option>
        ))}
      </select>
      <span class="max-sm:ml-auto">{props.menu}</span>
    </div>
  </div>
);

interface TimeLineProps {
  readonly bounds: { readonly from: number; readonly to: number };
  readonly isLive: boolean;
  readonly isPaused: boolean;
  readonly isLoading: boolean;
  readonly aggregation: Aggregation;
  readonly onPan: (share: number) => void;
  readonly onLive: () => void;
  readonly onResume: () => void;
}

/** The time that the charts show, with links to earlier and later windows. */
export function TimeLine(props: TimeLineProps) {
  const { bounds, aggregation } = props;
  const details = [
    ...(aggregation === "none" ? [] : [t(`aggregation.${aggregation}`)]),
    ...(props.isLoading ? [t("common.loading")] : []),
  ];
  return (
    <div class="flex flex-wrap items-center gap-x-1 gap-y-2 text-sm text-soft">
      <div class="flex min-w-0 items-center gap-1">
        <IconButton
          icon={ChevronLeft}
          class="btn btn-ghost btn-xs btn-square"
          label={t("data.earlier")}
          onClick={() => props.onPan(-0.5)}
        />
        <p class="reading min-w-0 max-sm:text-xs" aria-live="off">
          {formatDateRange(bounds.from, bounds.to)}
        </p>
        <IconButton
          icon={ChevronRight}
          class="btn btn-ghost btn-xs btn-square"
          label={t("data.later")}
          onClick={() => props.onPan(0.5)}
        />
      </div>
      {details.length > 0 && <span>{details.join(" · ")}</span>}
      {props.isLive && props.isPaused && (
        <Button icon={Play} size={14} class="btn btn-xs btn-primary ml-2" onClick={props.onResume}>
          {t("common.resume")}
        </Button>
      )}
      {!props.isLive && (
        <Button icon={Play} size={14} class="btn btn-xs btn-primary ml-2" onClick={props.onLive}>
          {t("data.backToLive")}
        </Button>
      )}
    </div>
  );
}
