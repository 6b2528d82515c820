import { StartupError } from "../../platform/startup-error.ts";
import type { ApiClient } from "../api-client.ts";
import type { Section } from "./section.types.ts";
import { sections } from "./sections.ts";
import type { Fields } from "./site.types.ts";
import { readSnapshot } from "./snapshot.ts";

const byName = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : Number(a.key > b.key));

/**
 * Returns the content of a site file: sections in the order of their creation, objects by name.
 * @throws StartupError if a name that the file needs belongs to several objects.
 */
export async function exportSite(api: ApiClient, isWanted: (section: Section) => boolean): Promise<Fields> {
  const { objects, ambiguous } = await readSnapshot(api, isWanted);
  const duplicates = [...objects].flatMap(([section, named]) =>
    [...named].filter(([, same]) => same.length > 1).map(([key]) => `${section} "${key}"`),
  );
  const names = [...new Set([...duplicates, ...ambiguous])];
  if (names.length > 0)
    throw new StartupError(
      `A site file names objects by their names. Several objects have the same name; rename them: ${names.join(", ")}.`,
    );
  const content: Record<string, unknown> = {};
  for (const { name, key } of sections) {
    const all = [...(objects.get(name)?.values() ?? [])]
      .flat()
      .filter(({ isExported }) => isExported)
      .sort(byName);
    if (key !== undefined && all.length > 0) content[name] = all.map(({ fields }) => fields);
    const settings = key === undefined ? all[0]?.fields : undefined;
    if (settings !== undefined && Object.keys(settings).length > 0) content[name] = settings;
  }
  return content;
}
