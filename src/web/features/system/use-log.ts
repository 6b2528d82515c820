import { useEffect, useRef, useState } from "preact/hooks";
import { type LogFilter, type LogLine, logApi } from "./log-api.ts";
import { withNewest, withoutNewer } from "./log-lines.ts";

const PAGE_SIZE = 200;
const FOLLOW_MS = 3_000;

interface Shown {
  readonly lines: readonly LogLine[];
  /** Number of lines of the gateway that match the filter. */
  readonly total: number;
  /** Key of the filter that the lines match. */
  readonly key: string;
}

/** The newest lines of the log that match a filter. While it follows, it asks for new ones. */
export function useLog(filter: LogFilter, isFollowing: boolean) {
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [attempts, setAttempts] = useState(0);
  const key = JSON.stringify([filter.level, filter.search]);
  /** Key of the filter whose lines have arrived. */
  const loaded = useRef<string | undefined>(undefined);

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      try {
        const { rows, total } = await logApi.list(filter, PAGE_SIZE);
        if (isOver) return;
        loaded.current = key;
        setShown((now) => ({ key, total, lines: now?.key === key ? withNewest(now.lines, rows) : rows }));
        setError(undefined);
      } catch (failure) {
        if (!isOver) setError(failure);
      }
    };
    const follow = async () => {
      const isMissing = loaded.current !== key;
      if (isMissing || (isFollowing && document.visibilityState === "visible")) await load();
      // Only after the answer: a slow gateway must not be asked faster than it answers.
      if (isFollowing && !isOver) timer = setTimeout(follow, FOLLOW_MS);
    };
    follow();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, isFollowing, attempts]);

  /** Loads a page of older lines behind those that are shown. */
  const loadOlder = async () => {
    if (shown === undefined) return;
    const { rows, total } = await logApi.list(filter, shown.lines.length + PAGE_SIZE);
    setShown((now) => (now?.key === key ? { key, total, lines: withoutNewer(now.lines, rows) } : now));
  };
  return { shown, error, loadOlder, retry: () => setAttempts((count) => count + 1) };
}
