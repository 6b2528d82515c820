import { join } from "node:path";
import { describeKind } from "../../platform/config/config.ts";
import { configGroups } from "../../platform/config/config-groups.ts";
import {
  type ConfigKey,
  configKeys,
  envOf,
  flagOf,
  type KeyDefinition,
} from "../../platform/config/config-keys.ts";
import { handWrittenPartsFile, renderHandWrittenParts } from "../check/hand-written-parts.ts";
import { benchmarksFile, renderBenchmarks } from "./benchmark-summary.ts";
import { renderCommands } from "./commands-doc.ts";
import { renderPermissions } from "./permissions-doc.ts";
import { placesFile, renderPlaces } from "./text-places.ts";

/** Files generated from tables in the code: pages of docs/ and the places of texts. `--check` only reports whether they are up to date. */

function row(key: ConfigKey): string {
  const definition: KeyDefinition = configKeys[key];
  const fallback = definition.default === undefined ? "–" : `\`${definition.default}\``;
  return `| \`${flagOf(key)}\` | \`${envOf(key)}\` | \`${key}\` | ${fallback} | ${definition.description} (${describeKind(definition.kind)}) |`;
}

export function renderConfiguration(): string {
  const tables = configGroups.map(
    ({ title, keys }) =>
      `## ${title}\n\n| flag | environment | lineside.toml | default | meaning |\n|---|---|---|---|---|\n${keys.map(row).join("\n")}\n`,
  );
  return `# Configuration

This page lists every setting. Set it as a flag, as an environment variable, or in \`lineside.toml\` in the directory where Lineside is
started (or another file: \`--config FILE\` or \`LINESIDE_CONFIG\`). A flag overrides the environment, and the environment overrides the file. Lineside reports all mistakes
together and does not start until they are corrected.

In the file, the name of a table is the first part of its keys, so these two are the same:

\`\`\`toml
http_port = 9090

[http]
port = 9090
\`\`\`

${tables.join("\n")}`;
}

const docs = join(import.meta.dir, "../../../docs");
const files = {
  [join(docs, "configuration.md")]: renderConfiguration,
  [join(docs, "cli.md")]: renderCommands,
  [join(docs, "permissions.md")]: renderPermissions,
  [benchmarksFile]: renderBenchmarks,
  [handWrittenPartsFile]: renderHandWrittenParts,
  [placesFile]: renderPlaces,
};

if (import.meta.main) {
  for (const [file, render] of Object.entries(files)) {
    const text = await render();
    if (!process.argv.includes("--check")) await Bun.write(file, text);
    else if ((await Bun.file(file).text()) !== text) {
      console.error(`${file} is not up to date; run npm run docs.`);
      process.exitCode = 1;
    }
  }
}
