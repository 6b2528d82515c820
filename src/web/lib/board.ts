import type {
  Alias,
  BoardState,
  Dashboard,
  DashboardForm,
  Widget,
  WindowSpec,
} from "../state/dashboards-api.ts";
import { add, type Place, remove, settle } from "./grid.ts";

/** What one edits of a dashboard: its items as objects, in whichever form the server has them. */
export interface Board {
  readonly name: string;
  readonly widgets: readonly Widget[];
  readonly layout: readonly Place[];
  readonly aliases: readonly Alias[];
  readonly states: readonly BoardState[];
  readonly timeWindow: WindowSpec;
}

export const WINDOW_DEFAULT: WindowSpec = { mode: "live", durationMs: 3_600_000 };

function objectsOf<Item>(items: readonly unknown[]): Item[] {
  return items.flatMap((item) => {
    try {
      return [(typeof item === "string" ? JSON.parse(item) : item) as Item];
    } catch {
      return []; // the server takes none that it cannot read
    }
  });
}

/** Widgets without a place get one, places without a widget go. */
export function boardOf(dashboard: Dashboard): Board {
  const widgets = objectsOf<Widget>(dashboard.widgets);
  const ids = new Set(widgets.map(({ widgetId }) => widgetId));
  const placed = objectsOf<Place>(dashboard.layout).filter(({ i }) => ids.has(i));
  const known = new Set(placed.map(({ i }) => i));
  let layout = settle(placed);
  for (const { widgetId } of widgets)
    if (!known.has(widgetId)) layout = add(layout, { i: widgetId, w: 6, h: 4 });
  const states = objectsOf<BoardState>(dashboard.states);
  return {
    name: dashboard.name,
    widgets,
    layout,
    aliases: objectsOf<Alias>(dashboard.aliases),
    states: states.length > 0 ? states : [{ id: "default", name: dashboard.name }],
    timeWindow: dashboard.timeWindow ?? WINDOW_DEFAULT,
  };
}

export const formOf = ({ name, widgets, layout, aliases, states, timeWindow }: Board): DashboardForm => ({
  ...{ name, widgets, layout, aliases, states, timeWindow },
});

/** In a state there are its own widgets and those that are in all. */
export const widgetsIn = (board: Pick<Board, "widgets">, stateId: string): Widget[] =>
  board.widgets.filter(
    ({ dashboardStateId }) => dashboardStateId === undefined || dashboardStateId === stateId,
  );

/** Those of a state stand by themselves: others leave them no holes. */
export function layoutIn(board: Board, stateId: string): Place[] {
  const ids = new Set(widgetsIn(board, stateId).map(({ widgetId }) => widgetId));
  return settle(board.layout.filter(({ i }) => ids.has(i)));
}

/** The places of a state's widgets changed, all others as they were. */
export function withLayout(board: Board, places: readonly Place[]): Board {
  const byId = new Map(places.map((place) => [place.i, place]));
  return { ...board, layout: board.layout.map((place) => byId.get(place.i) ?? place) };
}

export function withWidget(board: Board, widget: Widget, size: { w: number; h: number }): Board {
  const isKnown = board.widgets.some(({ widgetId }) => widgetId === widget.widgetId);
  if (isKnown)
    return {
      ...board,
      widgets: board.widgets.map((one) => (one.widgetId === widget.widgetId ? widget : one)),
    };
  return {
    ...board,
    widgets: [...board.widgets, widget],
    layout: add(board.layout, { i: widget.widgetId, ...size }),
  };
}

export const withoutWidget = (board: Board, id: string): Board => ({
  ...board,
  widgets: board.widgets.filter(({ widgetId }) => widgetId !== id),
  layout: remove(board.layout, id),
});

/** An id that no other has. */
export function newId(prefix: string, taken: readonly string[]): string {
  for (let n = taken.length + 1; ; n++) if (!taken.includes(`${prefix}${n}`)) return `${prefix}${n}`;
}
