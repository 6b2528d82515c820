// View of Explore, as in its URL.

import { HOUR_MS } from "../../lib/core/units.ts";
import { LINE_STYLES, type LineStyle } from "./line-styles.ts";

/** As in dashboards: `{mode, durationMs | from, to | unit, offset, timezone}`. */
type WindowSpec = Readonly<Record<string, unknown>>;

export interface ExploreSeries {
  readonly deviceId: string;
  readonly key: string;
}

/** How the lines of a pane are drawn. */
export interface PaneAppearance {
  /** A line by default. */
  readonly style?: LineStyle | undefined;
  /** Ends of the value axis. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Series drawn together: as lines, or each as a lane colored by state. */
export interface Pane extends PaneAppearance {
  readonly kind: "lines" | "lanes";
  readonly series: readonly ExploreSeries[];
}

/** What each line is compared with: nothing, the same line one window earlier (`true`), or one year earlier. */
export type Comparison = boolean | "year";

/** Reads a comparison in the format of widgets. */
export const comparisonOf = (value: unknown): Comparison => (value === "year" ? value : value === true);

export interface ExploreView {
  readonly panes: readonly Pane[];
  readonly window: WindowSpec;
  readonly aggregation: string;
  readonly compare: Comparison;
}

export const WINDOW_START: WindowSpec = { mode: "live", durationMs: 24 * HOUR_MS };

/** `deviceId~key`: ids contain no `~`, and commas and semicolons of keys are encoded. */
const seriesText = ({ deviceId, key }: ExploreSeries) =>
  `${deviceId}~${encodeURIComponent(key.toWellFormed())}`;

function seriesOf(text: string): ExploreSeries[] {
  const end = text.indexOf("~");
  if (end <= 0) return [];
  try {
    return [{ deviceId: text.slice(0, end), key: decodeURIComponent(text.slice(end + 1)) }];
  } catch {
    return []; // a broken escape, as in a link that was cut
  }
}

/** `:style=step:min=0:max=100` before the series. */
function appearanceText({ style, min, max }: PaneAppearance): string {
  const fields = Object.entries({ style: style === "line" ? undefined : style, min, max });
  const texts = fields.flatMap(([name, value]) => (value === undefined ? [] : [`:${name}=${value}`]));
  return texts.length === 0 ? "" : `${texts.join("")},`;
}

function appearanceOf(text: string): PaneAppearance {
  const fields = new Map(
    text.split(":").map((field): [string, string] => {
      const [name = "", value = ""] = field.split("=");
      return [name, value];
    }),
  );
  const numberOf = (name: string): number | undefined => {
    const value = fields.get(name) ?? "";
    return value !== "" && Number.isFinite(Number(value)) ? Number(value) : undefined;
  };
  const style = LINE_STYLES.find((name) => name === fields.get("style"));
  const [min, max] = [numberOf("min"), numberOf("max")];
  return {
    ...(style !== undefined && { style }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
}

function paneOf(text: string): Pane[] {
  const parts = text.slice(1).split(",");
  const series = parts.flatMap(seriesOf);
  const appearance = parts[0]?.startsWith(":") ? appearanceOf(parts[0]) : {};
  return series.length === 0
    ? []
    : [{ kind: text.startsWith("s") ? "lanes" : "lines", series, ...appearance }];
}

/** `live.<ms>`, `abs.<from>.<to>` or `cal.<unit>.<offset>.<time zone>`. */
function windowText({ mode, durationMs, from, to, unit, offset, timezone }: WindowSpec): string {
  if (mode === "absolute" || (mode === undefined && from !== undefined)) return `abs.${from}.${to}`;
  if (mode === "calendar") return `cal.${unit}.${offset}.${timezone}`;
  return `live.${durationMs}`;
}

function windowOf(text = ""): WindowSpec {
  const [mode, first = "", second = "", ...rest] = text.split(".");
  if (mode === "abs" && Number(first) < Number(second))
    return { mode: "absolute", from: Number(first), to: Number(second) };
  if (mode === "cal" && Number.isInteger(Number(second)))
    return { mode: "calendar", unit: first, offset: Number(second), timezone: rest.join(".") };
  if (mode === "live" && Number(first) > 0) return { mode: "live", durationMs: Number(first) };
  return WINDOW_START;
}

export function viewFromQuery(query: Readonly<Record<string, string>>): ExploreView {
  return {
    panes: (query.panes ?? "").split(";").flatMap(paneOf),
    window: windowOf(query.window),
    aggregation: query.aggregation ?? "none",
    compare: comparisonOf(query.compare === "1" || query.compare),
  };
}

export function viewToQuery({ panes, window, aggregation, compare }: ExploreView): Record<string, string> {
  const texts = panes.map(
    ({ kind, series, ...appearance }) =>
      (kind === "lanes" ? "s" : "l") + appearanceText(appearance) + series.map(seriesText).join(),
  );
  return {
    ...(texts.length > 0 && { panes: texts.join(";") }),
    window: windowText(window),
    ...(aggregation !== "none" && { aggregation }),
    ...(compare && { compare: compare === "year" ? compare : "1" }),
  };
}

export const exploreAddress = (view: ExploreView): string =>
  `/explore?${new URLSearchParams(viewToQuery(view))}`;

/** Returns the address of Explore with these series in one pane. */
export const exploreHref = (series: readonly ExploreSeries[], window: WindowSpec = WINDOW_START): string =>
  exploreAddress({ panes: [{ kind: "lines", series }], window, aggregation: "none", compare: false });

/** Returns the name of a series in the format of a widget's `series`. */
export const seriesId = ({ deviceId, key }: ExploreSeries): string => `${deviceId}/${key}`;

/** Adds a series to a pane of its kind: the last one, or a new one. */
export function withSeries(panes: readonly Pane[], series: ExploreSeries, kind: Pane["kind"]): Pane[] {
  const position = panes.findLastIndex((pane) => pane.kind === kind);
  const pane = panes[position];
  if (pane === undefined) return [...panes, { kind, series: [series] }];
  if (pane.series.some((existing) => seriesId(existing) === seriesId(series))) return [...panes];
  return panes.with(position, { ...pane, series: [...pane.series, series] });
}

export const withoutSeries = (panes: readonly Pane[], position: number, series: ExploreSeries): Pane[] =>
  panes.flatMap((pane, index) => {
    if (index !== position) return pane;
    const left = pane.series.filter((existing) => seriesId(existing) !== seriesId(series));
    return left.length === 0 ? [] : { ...pane, series: left };
  });

/** Returns the panes with another appearance of one of them. */
export const withAppearance = (
  panes: readonly Pane[],
  position: number,
  appearance: PaneAppearance,
): Pane[] => panes.map((pane, index) => (index === position ? { ...pane, ...appearance } : pane));

/** Gives each series a pane of its own, or puts all of a kind into one. */
export function arranged(panes: readonly Pane[], isSplit: boolean): Pane[] {
  if (isSplit) return panes.flatMap((pane) => pane.series.map((own) => ({ ...pane, series: [own] })));
  return panes
    .flatMap(({ kind, series }) => series.map((own) => ({ kind, own })))
    .reduce<Pane[]>((joined, { kind, own }) => withSeries(joined, own, kind), []);
}
