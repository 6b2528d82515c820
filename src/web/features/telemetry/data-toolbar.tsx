import { ChevronLeft, ChevronRight, Download, Pause, Play, ZoomIn, ZoomOut } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { AGGREGATIONS } from "../../lib/aggregations.ts";
import type { Aggregation } from "../../lib/api-types.ts";
import { type TimeWindow, WINDOW_IDS } from "../../lib/time-window.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/segments.tsx";

export const VIEWS = ["lanes", "overlay", "table"] as const;
export type View = (typeof VIEWS)[number];

export interface ToolbarProps {
  readonly window: TimeWindow;
  readonly view: View;
  readonly aggregation: Aggregation;
  readonly paused: boolean;
  readonly keyPicker: ComponentChildren;
  readonly onWindow: (window: TimeWindow) => void;
  readonly onView: (view: View) => void;
  readonly onAggregation: (aggregation: Aggregation) => void;
  readonly onPause: () => void;
  readonly onZoom: (factor: number) => void;
  readonly onPan: (share: number) => void;
  /** True while values of the range are still missing. */
  readonly isLoading: boolean;
  readonly onDownload: () => void;
  /** Opens import and export, and Explore. */
  readonly history: ComponentChildren;
}

function IconButton(props: { label: string; onClick: () => void; children: ComponentChildren }) {
  return (
    <button
      type="button"
      class="btn btn-sm btn-square join-item"
      aria-label={props.label}
      title={props.label}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

export function DataToolbar(props: ToolbarProps) {
  const live = props.window.kind === "live";
  return (
    <div class="flex flex-col gap-3">
      <div class="flex flex-wrap items-center gap-2">
        <Segments
          label={t("data.window")}
          items={WINDOW_IDS.map((id) => ({ id, text: t(`window.${id}`) }))}
          current={props.window.kind === "live" ? props.window.id : undefined}
          onSelect={(id) => props.onWindow({ kind: "live", id })}
        />
        <div class="join">
          <IconButton label={t("data.earlier")} onClick={() => props.onPan(-0.5)}>
            <ChevronLeft size={16} aria-hidden="true" />
          </IconButton>
          <IconButton label={t("data.zoomIn")} onClick={() => props.onZoom(0.5)}>
            <ZoomIn size={16} aria-hidden="true" />
          </IconButton>
          <IconButton label={t("data.zoomOut")} onClick={() => props.onZoom(2)}>
            <ZoomOut size={16} aria-hidden="true" />
          </IconButton>
          <IconButton label={t("data.later")} onClick={() => props.onPan(0.5)}>
            <ChevronRight size={16} aria-hidden="true" />
          </IconButton>
        </div>
        {live ? (
          <button type="button" class="btn btn-sm" aria-pressed={props.paused} onClick={props.onPause}>
            {props.paused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
            {props.paused ? t("common.resume") : t("common.pause")}
          </button>
        ) : (
          <Button
            icon={Play}
            size={14}
            class="btn btn-sm btn-primary"
            onClick={() => props.onWindow({ kind: "live", id: "15m" })}
          >
            {t("data.backToLive")}
          </Button>
        )}
      </div>
      <div class="flex flex-wrap items-center gap-2">
        {props.keyPicker}
        <select
          class="select select-sm w-44"
          aria-label={t("data.aggregation")}
          value={props.aggregation}
          onChange={(e) => {
            const selected = AGGREGATIONS.find((a) => a === e.currentTarget.value);
            if (selected) props.onAggregation(selected);
          }}
        >
          {AGGREGATIONS.map((id) => (
            <option key={id} value={id}>
              {t(`aggregation.${id}`)}
            </option>
          ))}
        </select>
        <Segments
          label={t("data.view")}
          items={VIEWS.map((id) => ({ id, text: t(`view.${id}`) }))}
          current={props.view}
          onSelect={props.onView}
        />
        <Button icon={Download} size={14} disabled={props.isLoading} onClick={props.onDownload}>
          {t("data.csv")}
        </Button>
        {props.history}
      </div>
    </div>
  );
}
