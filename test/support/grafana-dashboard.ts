import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Query {
  readonly title: string;
  readonly text: string;
}

/** Returns the queries of a dashboard in `docs`: those of its variables and of its panels, with every variable and macro replaced. */
export function queriesOf(file: string, replace: (query: string) => string): Query[] {
  const { templating, panels } = JSON.parse(readFileSync(join(import.meta.dir, "../../docs", file), "utf8"));
  const variables = templating.list
    .filter(({ type }: { type: string }) => type === "query")
    .map(({ name, query }: { name: string; query: string }) => ({ title: name, text: replace(query) }));
  const targets = panels.flatMap(
    ({ title, targets: all }: { title: string; targets: Array<{ rawSql?: string; query?: string }> }) =>
      all.map(({ rawSql, query }) => ({ title, text: replace(rawSql ?? query ?? "") })),
  );
  return [...variables, ...targets];
}
