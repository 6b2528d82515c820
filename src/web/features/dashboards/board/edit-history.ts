/** Steps of editing a dashboard, for undo and redo. */
export interface EditHistory<State> {
  readonly past: readonly State[];
  readonly now: State;
  readonly future: readonly State[];
}

const STEPS_MAX = 100;

export const begin = <State>(now: State): EditHistory<State> => ({ past: [], now, future: [] });

/** Adds a step, which discards undone steps. An equal state adds nothing. */
export function step<State>(history: EditHistory<State>, next: State): EditHistory<State> {
  if (next === history.now) return history;
  return { past: [...history.past, history.now].slice(-STEPS_MAX), now: next, future: [] };
}

export function undo<State>(history: EditHistory<State>): EditHistory<State> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return { past: history.past.slice(0, -1), now: before, future: [history.now, ...history.future] };
}

export function redo<State>(history: EditHistory<State>): EditHistory<State> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.now], now: next, future };
}
