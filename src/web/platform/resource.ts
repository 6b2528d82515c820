import { useEffect, useRef, useState } from "preact/hooks";

export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  readonly reload: () => void;
  readonly set: (data: T) => void;
}

/** Loads when `deps` change; an answer that a newer request has overtaken is thrown away. */
export function useResource<T>(load: () => Promise<T>, deps: readonly unknown[]): Resource<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; loading: boolean }>({ loading: true });
  const newest = useRef(0);
  const run = () => {
    const mine = ++newest.current;
    setState((s) => ({ ...s, loading: true }));
    load().then(
      (data) => mine === newest.current && setState({ data, loading: false }),
      (error: unknown) => mine === newest.current && setState((s) => ({ ...s, error, loading: false })),
    );
  };
  useEffect(() => {
    setState({ loading: true });
    run();
    return () => {
      newest.current++;
    };
    // The caller's deps are exactly what the loader depends on.
  }, [...deps]);
  return {
    data: state.data,
    error: state.error,
    loading: state.loading,
    reload: run,
    set: (data) => {
      newest.current++;
      setState({ data, loading: false });
    },
  };
}

/** Returns the newest data, or the previous data until the next response arrives: a table must not blink at every letter. */
export function useKept<T>(resource: Resource<T>): T | undefined {
  const kept = useRef<T | undefined>(undefined);
  if (resource.data !== undefined) kept.current = resource.data;
  return kept.current;
}
