import { ArrowDownUp, ChartLine, Download, Pause, StickyNote, ZoomIn, ZoomOut } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { AGGREGATIONS } from "../../lib/aggregations.ts";
import type { Aggregation } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { MENU_ITEM, MoreMenu } from "../../ui/page/more-menu.tsx";
import { AnnotationSwitch } from "../annotations/annotation-switch.tsx";
import { CsvUnits } from "./csv-units.tsx";

interface Props {
  readonly aggregation: Aggregation;
  /** Absent for a fixed or paused window. */
  readonly onPause: (() => void) | undefined;
  readonly hasAnnotations: boolean;
  /** True while values of the range are still missing. */
  readonly isLoading: boolean;
  readonly exploreHref: string;
  readonly onAggregation: (aggregation: Aggregation) => void;
  readonly onZoom: (factor: number) => void;
  readonly onDownload: () => void;
  readonly onHistory: () => void;
  /** Absent if the user may not write notes. */
  readonly onNote: (() => void) | undefined;
}

/** Menu of a device's data, in addition to its charts: aggregation of values, files, and Explore. */
export function DataMenu(props: Props) {
  return (
    <MoreMenu label={t("data.more")}>
      {(close) => {
        const closing = (action: () => void) => () => {
          close();
          action();
        };
        return (
          <>
            <Display {...props} onPause={props.onPause && closing(props.onPause)} />
            <Group>
              <Button
                icon={Download}
                class={MENU_ITEM}
                disabled={props.isLoading}
                onClick={closing(props.onDownload)}
              >
                {t("alarms.downloadCsv")}
              </Button>
              <div class="px-2 py-1">
                <CsvUnits />
              </div>
              <Button icon={ArrowDownUp} class={MENU_ITEM} onClick={closing(props.onHistory)}>
                {t("history.open")}
              </Button>
            </Group>
            <Group>
              {props.onNote && (
                <Button icon={StickyNote} class={MENU_ITEM} onClick={closing(props.onNote)}>
                  {t("note.write")}
                </Button>
              )}
              <a class={MENU_ITEM} href={props.exploreHref}>
                <ChartLine size={16} aria-hidden="true" />
                {t("data.explore")}
              </a>
            </Group>
          </>
        );
      }}
    </MoreMenu>
  );
}

const Group = ({ children }: { children: ComponentChildren }) => (
  <div class="flex flex-col gap-1 border-t border-base-300 pt-2">{children}</div>
);

function Display({ aggregation, hasAnnotations, onAggregation, onZoom, onPause }: Props) {
  return (
    <>
      <AggregationField value={aggregation} onSelect={onAggregation} />
      {hasAnnotations && <AnnotationSwitch />}
      <div class="flex items-center gap-2">
        <IconButton
          icon={ZoomIn}
          class="btn btn-sm btn-square"
          label={t("data.zoomIn")}
          onClick={() => onZoom(0.5)}
        />
        <IconButton
          icon={ZoomOut}
          class="btn btn-sm btn-square"
          label={t("data.zoomOut")}
          onClick={() => onZoom(2)}
        />
        {onPause && (
          <Button icon={Pause} size={14} class="btn btn-sm ml-auto" onClick={onPause}>
            {t("common.pause")}
          </Button>
        )}
      </div>
    </>
  );
}

function AggregationField(props: { value: Aggregation; onSelect: (aggregation: Aggregation) => void }) {
  return (
    <label class="flex flex-col gap-1 text-sm">
      {t("common.aggregation")}
      <select
        class="select select-sm w-full"
        value={props.value}
        onChange={(e) => {
          const selected = AGGREGATIONS.find((id) => id === e.currentTarget.value);
          if (selected) props.onSelect(selected);
        }}
      >
        {AGGREGATIONS.map((id) => (
          <option key={id} value={id}>
            {t(`aggregation.${id}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
