import { useEffect, useRef } from "preact/hooks";

/** Calls `work` at an interval while the page is visible; `undefined` pauses it. */
export function useRefresh(work: () => void, everyMs: number | undefined): void {
  const newest = useRef(work);
  newest.current = work;
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => !document.hidden && newest.current(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
