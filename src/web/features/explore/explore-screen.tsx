import { Download, Image, LayoutDashboard, Link, type LucideIcon, Rows3, X } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AGGREGATIONS } from "../../lib/aggregations.ts";
import {
  arranged,
  comparisonOf,
  type ExploreView,
  type Pane,
  type PaneAppearance,
  seriesId,
  viewFromQuery,
  viewToQuery,
  withAppearance,
  withoutSeries,
  withSeries,
} from "../../lib/explore-view.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { LINE_STYLES, toLineStyle } from "../../lib/line-styles.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName } from "../../platform/key-metadata.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { LinkedCharts, useChartLink } from "../../ui/chart/chart-link.ts";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { MENU_ITEM, MoreMenu } from "../../ui/page/more-menu.tsx";
import { Page } from "../../ui/page/page.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { AlarmLink } from "../../ui/state/alarm-link.tsx";
import { AnnotationSwitch } from "../annotations/annotation-switch.tsx";
import { formOf } from "../dashboards/board/board.ts";
import { BoardWidgets } from "../dashboards/board/board-widgets.tsx";
import { useBoardFeed } from "../dashboards/board/use-board-feed.ts";
import { WindowPicker } from "../dashboards/board/window-picker.tsx";
import { dashboardsApi } from "../dashboards/dashboards-api.ts";
import { AxisEnd } from "../dashboards/editor/axis-end.tsx";
import { nameOf } from "../devices/device-names.ts";
import { CsvUnits } from "../telemetry/csv-units.tsx";
import { boardOfView, withTitles } from "./explore-board.ts";
import { saveCsv, savePicture } from "./explore-files.ts";
import { ExploreStart } from "./explore-start.tsx";
import { keepLastView } from "./last-view.ts";
import { SeriesPicker } from "./series-picker.tsx";

/** Any values of any devices side by side. The whole view is in the address. */
export function ExploreScreen() {
  const { query, path, route } = useLocation();
  const view = viewFromQuery(query);
  const set = (changes: Partial<ExploreView>) =>
    route(`${path}?${new URLSearchParams(viewToQuery({ ...view, ...changes }))}`, true);
  const address = new URLSearchParams(viewToQuery(view)).toString();
  const board = useMemo(() => boardOfView(view, t("nav.explore")), [address]);
  const isEmpty = view.panes.length === 0;
  useEffect(() => {
    if (!isEmpty) keepLastView(view);
  }, [address]);
  return (
    <Page>
      <PageHead title={t("nav.explore")}>{!isEmpty && <SaveButton view={view} />}</PageHead>
      <div
        class={
          isEmpty ? "grid items-start gap-5 lg:grid-cols-[1fr_20rem]" : "flex flex-wrap items-center gap-3"
        }
      >
        {isEmpty && <ExploreStart key="start" />}
        <SeriesPicker
          key="picker"
          panes={view.panes}
          onAdd={(series, kind) => set({ panes: withSeries(view.panes, series, kind) })}
        />
        {!isEmpty && <Arrangement key="arrangement" view={view} onChange={set} />}
      </div>
      {!isEmpty && <Panes view={view} board={board} onChange={set} />}
    </Page>
  );
}

interface PartProps {
  readonly view: ExploreView;
  readonly onChange: (changes: Partial<ExploreView>) => void;
}

/** Returns whether the view has lines. Durations of states are bars, regardless of their keys. */
const hasLines = ({ panes, aggregation }: ExploreView): boolean =>
  aggregation !== "timeIn" && panes.some(({ kind }) => kind === "lines");

function Arrangement({ view, onChange }: PartProps) {
  return (
    <>
      <select
        class="select select-sm w-44"
        aria-label={t("common.aggregation")}
        value={view.aggregation}
        onChange={(e) => onChange({ aggregation: e.currentTarget.value })}
      >
        {AGGREGATIONS.map((id) => (
          <option key={id} value={id}>
            {t(`aggregation.${id}`)}
          </option>
        ))}
      </select>
      <FilterSelect
        label={t("field.widget.compare")}
        all={t("compare.none")}
        value={String(view.compare || "")}
        options={[
          { id: "true", text: t("compare.period") },
          { id: "year", text: t("compare.year") },
        ]}
        onSelect={(id) => onChange({ compare: comparisonOf(id === "true" || id) })}
        class="w-48"
      />
    </>
  );
}

function Panes({ view, board, onChange }: PartProps & { board: ReturnType<typeof boardOfView> }) {
  const host = useRef<HTMLDivElement>(null);
  const saving = useAction();
  const link = useChartLink();
  const feedView = useBoardFeed("explore", board, {
    window: view.window,
    stateId: "default",
    deviceId: undefined,
    isDraft: true,
  });
  return (
    <>
      <div class="flex flex-wrap items-center justify-between gap-3">
        <WindowPicker
          window={view.window}
          boundsNow={feedView.boundsNow}
          onChange={(window) => onChange({ window })}
        />
        <ExploreMenu
          view={view}
          onChange={onChange}
          onCsv={
            feedView.isLoaded && !saving.busy
              ? () => saving.run(() => saveCsv(feedView.feed, board.widgets, feedView.boundsNow()))
              : undefined
          }
          onPicture={() => host.current && savePicture(host.current)}
        />
      </div>
      <div class="flex flex-wrap items-center gap-3">
        <SeriesChips view={view} onChange={onChange} />
        {hasLines(view) && <PaneAppearances view={view} onChange={onChange} />}
      </div>
      <ErrorNote error={saving.error} />
      <ErrorNote error={feedView.error} onRetry={feedView.reload} />
      <div ref={host}>
        <LinkedCharts.Provider value={link}>
          <BoardWidgets
            board={withTitles(board, view, keyName)}
            stateId="default"
            view={feedView}
            onWindow={(window) => onChange({ window })}
          />
        </LinkedCharts.Provider>
      </div>
    </>
  );
}

/** Less frequent actions: the layout of the charts, and the view as a link, a table and a picture. */
function ExploreMenu(props: PartProps & { onCsv: (() => void) | undefined; onPicture: () => void }) {
  const { view, onChange, onCsv, onPicture } = props;
  const { panes } = view;
  const isSplit = panes.every(({ series }) => series.length === 1);
  const count = panes.reduce((sum, { series }) => sum + series.length, 0);
  return (
    <MoreMenu label={t("data.more")}>
      {(close) => {
        const item = (icon: LucideIcon, text: string, action: (() => void) | undefined) => (
          <Button
            icon={icon}
            class={MENU_ITEM}
            disabled={action === undefined}
            onClick={() => {
              close();
              action?.();
            }}
          >
            {text}
          </Button>
        );
        return (
          <>
            {hasLines(view) && (
              <div class="px-2 py-1">
                <AnnotationSwitch />
              </div>
            )}
            {count > 1 &&
              item(Rows3, t(isSplit ? "explore.join" : "explore.split"), () =>
                onChange({ panes: arranged(panes, !isSplit) }),
              )}
            {item(Link, t("common.copyLink"), () => void copyLink())}
            {item(Download, t("alarms.downloadCsv"), onCsv)}
            <div class="px-2 py-1">
              <CsvUnits />
            </div>
            {item(Image, t("explore.picture"), onPicture)}
          </>
        );
      }}
    </MoreMenu>
  );
}

function SeriesChips({ view, onChange }: PartProps) {
  return (
    <ul class="flex flex-wrap gap-2" aria-label={t("explore.series")}>
      {view.panes.flatMap((pane, position) =>
        pane.series.map((series) => {
          const name = `${nameOf(series.deviceId)} · ${keyName(series.deviceId, series.key)}`;
          return (
            <li key={`${position} ${seriesId(series)}`} class="badge border-base-300 bg-base-200 gap-1 pr-1">
              <a class="link link-hover" href={`/devices/${series.deviceId}`}>
                {name}
              </a>
              <AlarmLink deviceId={series.deviceId} name={series.key} />
              <button
                type="button"
                class="btn btn-ghost btn-circle btn-xs"
                aria-label={t("common.removeName", { name })}
                onClick={() => onChange({ panes: withoutSeries(view.panes, position, series) })}
              >
                <X size={12} aria-hidden="true" />
              </button>
            </li>
          );
        }),
      )}
    </ul>
  );
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    toast("success", t("explore.copied"));
  } catch {
    // Without TLS browsers refuse the clipboard: the address bar has the link.
    toast("success", t("explore.linkInBar"));
  }
}

function SaveButton({ view }: { view: ExploreView }) {
  const { route } = useLocation();
  const [isNaming, setNaming] = useState(false);
  const action = useAction();
  if (!may("dashboards:write")) return null;
  if (!isNaming)
    return (
      <Button icon={LayoutDashboard} onClick={() => setNaming(true)}>
        {t("explore.save")}
      </Button>
    );
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const name = String(new FormData(e.currentTarget).get("name")).trim();
    action.run(async () => {
      const saved = await dashboardsApi.create({
        ...formOf(withTitles(boardOfView(view, name), view, keyName)),
        name,
      });
      route(`/dashboards/${saved.id}`);
    });
  };
  return (
    <form class="flex flex-wrap items-center gap-2" onSubmit={submit}>
      <input
        class="input input-sm w-56"
        name="name"
        required
        pattern=".*\S.*"
        maxLength={maxLengthOf("dashboards/dashboards.schemas.ts", "createDashboardBody", "name")}
        aria-label={t("common.name")}
        placeholder={t("common.name")}
        autofocus
      />
      <button type="submit" class="btn btn-primary btn-sm" disabled={action.busy}>
        {t("common.save")}
      </button>
      <button type="button" class="btn btn-ghost btn-sm" onClick={() => setNaming(false)}>
        {t("common.cancel")}
      </button>
      <ErrorNote error={action.error} />
    </form>
  );
}

interface Props {
  readonly view: ExploreView;
  readonly onChange: (changes: Partial<ExploreView>) => void;
}

const titleOf = ({ series }: Pane): string =>
  [...new Set(series.map(({ deviceId, key }) => keyName(deviceId, key)))].join(", ");

/** Appearance of the lines of each chart, and the ends of its value axis. */
function PaneAppearances({ view, onChange }: Props) {
  const { panes } = view;
  return (
    <details class="open:w-full">
      <summary class="btn btn-sm">{t("explore.appearance")}</summary>
      <div class="panel mt-2 flex flex-col gap-4 p-4">
        {panes.map((pane, position) => {
          if (pane.kind !== "lines") return null;
          const set = (appearance: PaneAppearance) =>
            onChange({ panes: withAppearance(panes, position, appearance) });
          return (
            <fieldset
              key={pane.series.map(seriesId).join()}
              class="grid items-end gap-3 sm:grid-cols-[minmax(0,2fr)_1fr_1fr]"
            >
              <legend class="mb-1 text-sm font-medium wrap-anywhere">{titleOf(pane)}</legend>
              <SelectField
                label={t("common.style")}
                class="select select-sm w-full"
                value={toLineStyle(pane.style)}
                options={LINE_STYLES}
                text={(id) => t(`line.${id}`)}
                onSelect={(chosen) => set({ style: chosen })}
              />
              <AxisEnd
                end="min"
                class="input input-sm w-full"
                value={pane.min}
                onChange={(min) => set({ min })}
              />
              <AxisEnd
                end="max"
                class="input input-sm w-full"
                value={pane.max}
                onChange={(max) => set({ max })}
              />
            </fieldset>
          );
        })}
      </div>
    </details>
  );
}
