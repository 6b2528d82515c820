import type {
  Alias,
  BoardState,
  Content,
  DashboardForm,
  Widget,
  WidgetConfig,
  WindowSpec,
} from "../dashboards-api.ts";
import { clamp, type GridArea, roomFor, settle } from "./grid.ts";

type ListName = "states" | "layout" | "widgets" | "aliases";

/** Dashboard in the editor, with its items as objects, regardless of their form on the server. */
export interface Board {
  readonly name: string;
  readonly widgets: readonly Widget[];
  readonly layout: readonly GridArea[];
  readonly aliases: readonly Alias[];
  readonly states: readonly BoardState[];
  readonly timeWindow: WindowSpec;
  readonly tags: readonly string[];
  /** Texts that are not items, perhaps of other programs, which are saved unchanged. */
  readonly texts: Readonly<Record<ListName, readonly string[]>>;
}

export const WINDOW_DEFAULT: WindowSpec = { mode: "live", durationMs: 3_600_000 };

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const hasTexts = (fields: Fields, ...names: string[]) =>
  names.every((name) => typeof fields[name] === "string");

const isItem: Readonly<Record<ListName, (fields: Fields) => boolean>> = {
  states: (fields) => hasTexts(fields, "id", "name"),
  layout: (fields) =>
    hasTexts(fields, "i") && ["x", "y", "w", "h"].every((name) => Number.isFinite(fields[name])),
  widgets: (fields) => hasTexts(fields, "widgetId", "type", "name") && isFields(fields.config),
  aliases: (fields) => hasTexts(fields, "id", "name", "type"),
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the items of a list as objects, and keeps other texts. */
function read<Item>(dashboard: Content, name: ListName): { items: Item[]; texts: string[] } {
  const items: Item[] = [];
  const texts: string[] = [];
  for (const candidate of dashboard[name]) {
    const value = typeof candidate === "string" ? parsed(candidate) : candidate;
    if (isFields(value) && isItem[name](value))
      items.push(value as Item); // just checked
    else if (typeof candidate === "string") texts.push(candidate);
  }
  return { items, texts };
}

/** Adds a widget to the layout, at a free place among the widgets on the same pages. */
function withRoom(
  { widgets, layout }: Pick<Board, "widgets" | "layout">,
  { widgetId, dashboardStateId }: Widget,
  size: { w: number; h: number },
): GridArea[] {
  const others = new Set(
    (dashboardStateId === undefined ? widgets : widgetsIn({ widgets }, dashboardStateId)).map(
      (widget) => widget.widgetId,
    ),
  );
  return [
    ...layout,
    roomFor(
      layout.filter(({ i }) => others.has(i)),
      { i: widgetId, ...size },
    ),
  ];
}

/** Creates a board. Adds missing places of widgets, and removes places without a widget. */
export function boardOf(dashboard: Content & { readonly name: string }): Board {
  const widgets = read<Widget>(dashboard, "widgets");
  const places = read<GridArea>(dashboard, "layout");
  const states = read<BoardState>(dashboard, "states");
  const aliases = read<Alias>(dashboard, "aliases");
  const ids = new Set(widgets.items.map(({ widgetId }) => widgetId));
  const placed = places.items.filter(({ i }) => ids.has(i));
  const existing = new Set(placed.map(({ i }) => i));
  let layout = placed.map(clamp);
  for (const widget of widgets.items)
    if (!existing.has(widget.widgetId))
      layout = withRoom({ widgets: widgets.items, layout }, widget, { w: 6, h: 4 });
  return {
    name: dashboard.name,
    widgets: widgets.items,
    layout,
    aliases: aliases.items,
    states: states.items.length > 0 ? states.items : [{ id: "default", name: dashboard.name }],
    timeWindow: dashboard.timeWindow ?? WINDOW_DEFAULT,
    tags: dashboard.tags ?? [],
    texts: { states: states.texts, layout: places.texts, widgets: widgets.texts, aliases: aliases.texts },
  };
}

export const formOf = ({
  name,
  widgets,
  layout,
  aliases,
  states,
  timeWindow,
  tags,
  texts,
}: Board): DashboardForm => ({
  name,
  widgets: [...widgets, ...texts.widgets],
  layout: [...layout, ...texts.layout],
  aliases: [...aliases, ...texts.aliases],
  states: [...states, ...texts.states],
  timeWindow,
  tags,
});

/** Returns the widgets of a page, including those on all pages. */
export const widgetsIn = (board: Pick<Board, "widgets">, stateId: string): Widget[] =>
  board.widgets.filter(
    ({ dashboardStateId }) => dashboardStateId === undefined || dashboardStateId === stateId,
  );

/** Returns the places of the widgets of a state, without holes for others. */
export function layoutIn(board: Board, stateId: string): GridArea[] {
  const ids = new Set(widgetsIn(board, stateId).map(({ widgetId }) => widgetId));
  return settle(board.layout.filter(({ i }) => ids.has(i)));
}

/** Changes the places of widgets of a state. */
export function withLayout(board: Board, places: readonly GridArea[]): Board {
  const byId = new Map(places.map((place) => [place.i, place]));
  return { ...board, layout: board.layout.map((place) => byId.get(place.i) ?? place) };
}

/** Applies changes to the config of a widget. Removes empty fields; of `params`, which are sent unchanged, only undefined ones. */
export function configWith(config: WidgetConfig, changes: WidgetConfig): WidgetConfig {
  const isEmpty = (name: string, value: unknown) =>
    value === undefined || (name !== "params" && (value === "" || value === false));
  return Object.fromEntries(
    Object.entries({ ...config, ...changes }).filter(([name, value]) => !isEmpty(name, value)),
  );
}

export function withWidget(board: Board, widget: Widget, size: { w: number; h: number }): Board {
  const isKnown = board.widgets.some(({ widgetId }) => widgetId === widget.widgetId);
  if (isKnown)
    return {
      ...board,
      widgets: board.widgets.map((candidate) =>
        candidate.widgetId === widget.widgetId ? widget : candidate,
      ),
    };
  return {
    ...board,
    widgets: [...board.widgets, widget],
    layout: withRoom(board, widget, size),
  };
}

export const withoutWidget = (board: Board, id: string): Board => ({
  ...board,
  widgets: board.widgets.filter(({ widgetId }) => widgetId !== id),
  layout: board.layout.filter(({ i }) => i !== id),
});

/** Returns an unused id. */
export function newId(prefix: string, taken: readonly string[]): string {
  for (let n = taken.length + 1; ; n++) if (!taken.includes(`${prefix}${n}`)) return `${prefix}${n}`;
}

/** Returns the alias of a board with the same devices as one of another board; adds it if there is none. */
function takeAlias(board: Board, { id: _, name, ...devices }: Alias): { board: Board; id: string } {
  const meaning = JSON.stringify(devices);
  const existing = board.aliases.find(({ id, name: own, ...rest }) => JSON.stringify(rest) === meaning);
  if (existing !== undefined) return { board, id: existing.id };
  const id = newId(
    "a",
    board.aliases.map((alias) => alias.id),
  );
  const isTaken = board.aliases.some((alias) => alias.name === name);
  const alias: Alias = { ...devices, id, name: isTaken ? `${name} (${id})` : name } as Alias; // the fields of one
  return { board: { ...board, aliases: [...board.aliases, alias] }, id };
}

/** Adds a copy of a widget of `from`, which may be the same board, with its devices and its size. */
export function withCopy(target: Board, widget: Widget, from: Board): Board {
  const alias = from.aliases.find((candidate) => isOf(widget, candidate));
  const taken = alias && from !== target ? takeAlias(target, alias) : undefined;
  const { alias: _, ...config } = widget.config;
  const { dashboardStateId, ...rest } = widget;
  const page = from === target ? dashboardStateId : target.states.length > 1 && target.states[0]?.id;
  const copy: Widget = {
    ...rest,
    widgetId: newId(
      "w",
      target.widgets.map(({ widgetId }) => widgetId),
    ),
    ...(page && { dashboardStateId: page }),
    ...(taken && { config: { ...config, aliasId: taken.id } }),
  };
  const { w = 4, h = 3 } = from.layout.find(({ i }) => i === widget.widgetId) ?? {};
  return withWidget(taken?.board ?? target, copy, { w, h });
}

/** Adds a page, with the id of the last page. Widgets of the only page, which are on all pages, stay on the first. */
export function withPage(board: Board, name: string): Board {
  const [first] = board.states;
  const id = newId(
    "page",
    board.states.map((state) => state.id),
  );
  const widgets =
    board.states.length === 1 && first
      ? board.widgets.map((widget) => ({ dashboardStateId: first.id, ...widget }))
      : board.widgets;
  return { ...board, widgets, states: [...board.states, { id, name }] };
}

/** Removes a page with the widgets that are only on it. The last page remains. */
export function withoutPage(board: Board, id: string): Board {
  if (board.states.length < 2) return board;
  return board.widgets
    .filter(({ dashboardStateId }) => dashboardStateId === id)
    .reduce<Board>((left, { widgetId }) => withoutWidget(left, widgetId), {
      ...board,
      states: board.states.filter((state) => state.id !== id),
    });
}

/** Moves a page one place forward. */
export function withPageForward(board: Board, index: number): Board {
  const states = [...board.states];
  states.splice(Math.max(0, index - 1), 0, ...states.splice(index, 1));
  return { ...board, states };
}

/** Returns whether a widget refers to an alias, by id or by name. */
const isOf = ({ config }: Widget, { id, name }: Alias): boolean =>
  [config.aliasId, config.alias].some((wanted) => wanted === id || wanted === name);

export const usersOf = (board: Board, alias: Alias): number =>
  board.widgets.filter((widget) => isOf(widget, alias)).length;

/** Replaces an alias, including references by name. */
export function withAlias(board: Board, before: Alias, after: Alias): Board {
  return {
    ...board,
    aliases: board.aliases.map((alias) => (alias.id === before.id ? after : alias)),
    widgets: board.widgets.map((widget) =>
      widget.config.alias === before.name
        ? { ...widget, config: { ...widget.config, alias: after.name } }
        : widget,
    ),
  };
}
