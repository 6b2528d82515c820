import { useEffect, useMemo, useRef } from "preact/hooks";
import { coalesced } from "./coalesce.ts";

/** Long enough for a burst of live messages to end, short enough to feel instant. */
const GATHER_MS = 500;

/** Reloads on live messages, at most twice a second by default. */
export function useCoalesced(action: () => void, gatherMs = GATHER_MS): () => void {
  const current = useRef(action);
  current.current = action;
  // After leaving the screen, nothing is loaded.
  useEffect(
    () => () => {
      current.current = () => undefined;
    },
    [],
  );
  return useMemo(() => coalesced(() => current.current(), gatherMs), []);
}
