import { useEffect } from "preact/hooks";

/** Calls `reload` at an interval while the page is visible. */
export function useRefresh(reload: () => void, intervalMs: number, deps: readonly unknown[]): void {
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && reload(), intervalMs);
    return () => clearInterval(timer);
  }, [...deps]);
}
