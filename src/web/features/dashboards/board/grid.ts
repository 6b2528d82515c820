/** Position and size of a widget, in cells of a grid of twelve columns. */
export interface GridArea {
  readonly i: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const COLUMNS = 12;
/** Width in pixels below which widgets are stacked, in the order of the grid. */
export const ONE_COLUMN_BELOW = 640;
export const ROWS_MAX = 40;
const WIDTH_MIN = 1;

const isOver = (a: GridArea, b: GridArea): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const inOrder = (places: readonly GridArea[]): GridArea[] =>
  [...places].sort((a, b) => a.y - b.y || a.x - b.x);

const whole = (value: number, min: number, max: number) =>
  Math.min(Math.max(Number.isFinite(value) ? Math.round(value) : min, min), Math.max(min, max));

/** Moves a place into the grid. */
export function clamp(place: GridArea): GridArea {
  const w = whole(place.w, WIDTH_MIN, COLUMNS);
  const h = whole(place.h, 1, ROWS_MAX);
  return { ...place, w, h, x: whole(place.x, 0, COLUMNS - w), y: whole(place.y, 0, 10_000) };
}

/** Returns the place in its highest free row. */
function raised(place: GridArea, others: readonly GridArea[]): GridArea {
  const isFree = (y: number) => !others.some((other) => isOver({ ...place, y }, other));
  let { y } = place;
  while (!isFree(y)) y++;
  while (y > 0 && isFree(y - 1)) y--;
  return { ...place, y };
}

/** Resolves overlaps by moving widgets down; `first` stays where it is if possible. */
export function settle(places: readonly GridArea[], first?: string): GridArea[] {
  const clamped = places.map(clamp);
  const held = clamped.find(({ i }) => i === first);
  // What the held one pushes away goes below it; then all go up as far as they can.
  const pushed: GridArea[] = held === undefined ? [] : [held];
  for (const place of inOrder(clamped))
    if (place.i !== first) {
      let current = place;
      while (pushed.some((other) => isOver(current, other))) current = { ...current, y: current.y + 1 };
      pushed.push(current);
    }
  const settled: GridArea[] = [];
  for (const place of inOrder(pushed)) settled.push(raised(place, settled));
  const byId = new Map(settled.map((place) => [place.i, place]));
  return clamped.flatMap(({ i }) => byId.get(i) ?? []);
}

const changed = (places: readonly GridArea[], i: string, to: Partial<GridArea>): GridArea[] =>
  settle(
    places.map((place) => (place.i === i ? clamp({ ...place, ...to }) : place)),
    i,
  );

export const move = (places: readonly GridArea[], i: string, to: { x: number; y: number }) =>
  changed(places, i, to);

export function resize(places: readonly GridArea[], i: string, to: { w: number; h: number }): GridArea[] {
  const place = places.find((candidate) => candidate.i === i);
  return place === undefined
    ? [...places]
    : changed(places, i, { ...to, w: Math.min(to.w, COLUMNS - place.x) });
}

/** Moves a widget one step for an arrow key. Downwards it moves below the next one, because a smaller step would be reversed. */
export function nudge(places: readonly GridArea[], i: string, by: { x: number; y: number }): GridArea[] {
  const place = places.find((candidate) => candidate.i === i);
  if (place === undefined) return [...places];
  if (by.y <= 0) return move(places, i, { x: place.x + by.x, y: place.y + by.y });
  const rows = rowsOf(places);
  for (let y = place.y + 1; y <= rows; y++) {
    const next = move(places, i, { x: place.x, y });
    if ((next.find((candidate) => candidate.i === i)?.y ?? 0) > place.y) return next;
  }
  return [...places];
}

/** Returns the first free place for a widget, from the top. */
export function roomFor(places: readonly GridArea[], of: { i: string; w: number; h: number }): GridArea {
  const wanted = clamp({ ...of, x: 0, y: 0 });
  for (let y = 0; ; y++)
    for (let x = 0; x + wanted.w <= COLUMNS; x++) {
      const moved = { ...wanted, x, y };
      if (!places.some((other) => isOver(moved, other))) return moved;
    }
}

export const rowsOf = (places: readonly GridArea[]): number =>
  Math.max(0, ...places.map(({ y, h }) => y + h));
