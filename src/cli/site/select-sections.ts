import { suggest } from "../../lib/suggest.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { Section } from "./section.types.ts";
import { sections } from "./sections.ts";

const names = sections.map(({ name }) => name);

function namesOf(option: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const listed = text.split(",").map((name) => name.trim());
  for (const name of listed)
    if (!names.includes(name)) {
      const near = suggest(name, names);
      const hint = near === undefined ? `Sections: ${names.join(", ")}.` : `Did you mean "${near}"?`;
      throw new StartupError(`--${option}: "${name}" is no section of a site file. ${hint}`);
    }
  return listed;
}

/** Reads `--only` and `--without`. @throws StartupError for an unknown section. */
export function selectSections(
  values: Readonly<Record<string, string | undefined>>,
): (section: Pick<Section, "name">) => boolean {
  const only = namesOf("only", values.only);
  const without = namesOf("without", values.without);
  return ({ name }) => (only.length === 0 || only.includes(name)) && !without.includes(name);
}
