import { useEffect, useRef } from "preact/hooks";

const INTERVAL_MS = 5_000;

/** Counters move by themselves: asks anew every few seconds while the page is looked at. */
export function useEvery(work: () => void): void {
  const newest = useRef(work);
  newest.current = work;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && newest.current(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
}
