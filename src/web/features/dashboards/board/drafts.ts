import type { Dashboard } from "../dashboards-api.ts";
import { type Board, boardOf } from "./board.ts";
import { begin, type EditHistory } from "./edit-history.ts";

/** Unsaved changes by dashboard, with their base version. They survive visits to other screens. */
export const drafts = new Map<string, { readonly of: string; readonly history: EditHistory<Board> }>();

export const historyOf = (dashboard: Dashboard): EditHistory<Board> =>
  drafts.get(dashboard.id)?.history ?? begin(boardOf(dashboard));

/** Returns the base version of unsaved changes. */
export const baseOf = ({ id, updatedAt }: Dashboard): string => drafts.get(id)?.of ?? updatedAt;
