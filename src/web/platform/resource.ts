import { useEffect, useRef, useState } from "preact/hooks";

export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  readonly reload: () => void;
  readonly set: (data: T) => void;
}

/** Loads when `deps` change and discards responses that a newer request has overtaken. */
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
    // The caller lists everything on which the loader depends.
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

/** Like `useResource`, but keeps the previous data when `deps` change, so that a table does not flicker at each typed letter. */
export function useKept<T>(load: () => Promise<T>, deps: readonly unknown[]): Resource<T> {
  const resource = useResource(load, deps);
  const kept = useRef<T | undefined>(undefined);
  if (resource.data !== undefined) kept.current = resource.data;
  return { ...resource, data: kept.current };
}

export interface PagedResource<T> extends Resource<T> {
  /** Loads one more page. */
  readonly more: () => void;
}

/** A list loaded page by page. A change of `deps` starts again with the first page. */
export function usePages<T>(
  load: (limit: number) => Promise<T>,
  deps: readonly unknown[],
  size: number,
): PagedResource<T> {
  const key = JSON.stringify(deps);
  const [asked, setAsked] = useState({ key, limit: size });
  const limit = asked.key === key ? asked.limit : size;
  const resource = useKept(() => load(limit), [key, limit]);
  return { ...resource, more: () => setAsked({ key, limit: limit + size }) };
}

type Parts<T> = { readonly [Name in keyof T]: Resource<T[Name]> };

/** Joins resources that are shown together. The result has data when all of them have. */
export function together<T extends object>(parts: Parts<T>): Omit<Resource<T>, "set"> {
  const all = Object.entries(parts) as [string, Resource<unknown>][];
  const isKnown = all.every(([, { data }]) => data !== undefined);
  return {
    data: isKnown ? (Object.fromEntries(all.map(([name, { data }]) => [name, data])) as T) : undefined, // all are there
    error: all.find(([, { error }]) => error !== undefined)?.[1].error,
    loading: all.some(([, { loading }]) => loading),
    reload: () => {
      for (const [, { reload }] of all) reload();
    },
  };
}
