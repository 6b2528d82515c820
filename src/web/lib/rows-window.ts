export interface RowsWindow {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Returns the rows of a long list that have to be rendered: the visible ones, plus some above and below for fast scrolling. */
export function rowsWindow(
  view: { scrollTop: number; height: number; rowHeight: number },
  count: number,
  spare = 8,
): RowsWindow {
  const first = Math.floor(view.scrollTop / view.rowHeight);
  const visible = Math.ceil(view.height / view.rowHeight) + 1;
  const start = Math.max(0, Math.min(first - spare, count - visible - spare));
  return { start, end: Math.min(count, Math.max(first, 0) + visible + spare) };
}

export function blocksOf(window: RowsWindow, blockSize: number): number[] {
  const blocks: number[] = [];
  for (let b = Math.floor(window.start / blockSize); b * blockSize < window.end; b++) blocks.push(b);
  return blocks;
}
