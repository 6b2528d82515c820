import { useLocation } from "preact-iso";

/** A list's filter in the address, so that it can be linked to and is kept when the user goes back; empty values are left out. */
export function useUrlFilter<Name extends string>(names: readonly Name[]) {
  const { path, query, route } = useLocation();
  const filter = Object.fromEntries(names.map((name) => [name, query[name] ?? ""])) as Record<Name, string>; // one for each name
  const set = (changes: Partial<Record<Name, string>>) => {
    const next = new URLSearchParams({ ...filter, ...changes });
    for (const [name, value] of [...next]) if (value === "") next.delete(name);
    const text = next.toString();
    route(text ? `${path}?${text}` : path, true);
  };
  return { filter, set };
}
