import { type Board, boardOf } from "./board.ts";
import type { Dashboard } from "./dashboards-api.ts";
import { begin, type EditHistory } from "./edit-history.ts";

/** Unsaved changes by dashboard, with the version that they are based on. They survive visits to other screens. */
export const drafts = new Map<string, { readonly of: string; readonly history: EditHistory<Board> }>();

export const historyOf = (dashboard: Dashboard): EditHistory<Board> =>
  drafts.get(dashboard.id)?.history ?? begin(boardOf(dashboard));

/** Version that unsaved changes are based on. */
export const baseOf = ({ id, updatedAt }: Dashboard): string => drafts.get(id)?.of ?? updatedAt;
