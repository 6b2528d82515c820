import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandGroups, documentedCommands } from "../../src/cli/command-line.ts";
import { severitiesDescending } from "../../src/lib/alarms/severity.ts";
import { stepDefinitions } from "../../src/modules/pipelines/step-types.ts";
import { scriptLimits } from "../../src/modules/script-sandbox/script-limits.ts";
import { targetSchemas } from "../../src/modules/uplinks/targets/targets.schemas.ts";
import { networks } from "../../src/web/features/integrations/network-list.ts";

/** Pages of both languages that repeat a list or a limit of the code. */

const docs = join(import.meta.dir, "../../docs");
const textsFolder = join(import.meta.dir, "../../src/lib/texts");
const pageOf = (name: string): string => readFileSync(join(docs, `${name}.md`), "utf8");

/** Returns the first cells of all rows of the page's tables. */
const firstCells = (page: string): string[] =>
  [...page.matchAll(/^\| `?([^`|]+?)`? \|/gm)].map((match) => match[1] ?? "");

test("the help and cli.md list every command with a summary once", () => {
  const listed = Object.values(commandGroups).flat();
  expect(listed.toSorted()).toEqual([...documentedCommands()].toSorted());
  const headings = [...pageOf("cli").matchAll(/^### lineside (\S+)$/gm)].map((match) => match[1]);
  expect(headings).toEqual(listed);
});

for (const language of ["", "de/"]) {
  test(`${language}pipeline-steps.md has a row for each step, in the order of the code`, () => {
    const types = stepDefinitions.map(({ type }) => type);
    const rows = firstCells(pageOf(`${language}pipeline-steps`)).filter((cell) => types.includes(cell));
    expect(rows).toEqual(types);
  });

  test(`${language}alarms.md has a row for each severity, the most severe first`, () => {
    const severities: readonly string[] = severitiesDescending;
    const rows = firstCells(pageOf(`${language}alarms`)).filter((cell) => severities.includes(cell));
    expect(rows).toEqual([...severities]);
  });

  test(`${language}script-limits.md states the size limit of a script`, () => {
    const limit = `${scriptLimits.sourceBytesMax / 1024} KiB`;
    const row = language === "" ? "source" : "Quelltext";
    expect(pageOf(`${language}script-limits`)).toContain(`| ${row} | ${limit} |`);
  });

  test(`${language}uplink-targets.md has a section for each target, under its name in the console`, () => {
    const file = language === "" ? "console.en.json" : "console.de.json";
    const texts: Record<string, string> = JSON.parse(readFileSync(join(textsFolder, file), "utf8"));
    const page = pageOf(`${language}uplink-targets`);
    for (const type of Object.keys(targetSchemas))
      expect(page).toContain(`## ${texts[`uplinkType.${type}`]}\n`);
  });
}

for (const [file, language] of [
  ["../README", "en"],
  ["de/README", "de"],
] as const)
  test(`${file}.md names every network, and every target of uplinks, under its name in the console`, () => {
    const texts: Record<string, string> = JSON.parse(
      readFileSync(join(textsFolder, `console.${language}.json`), "utf8"),
    );
    const page = pageOf(file);
    const direct = ["HTTP", "MQTT"]; // programs and devices of any kind: their rows have other words
    const named = [
      ...networks.filter(({ id }) => !direct.includes(id)).map(({ id }) => `network.${id}`),
      ...Object.keys(targetSchemas).map((type) => `uplinkType.${type}`),
    ];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((key) => !page.includes(texts[key] ?? key))).toEqual([]);
  });

for (const name of ["sizing", "de/sizing"])
  test(`${name}.md repeats numbers of the benchmarks`, () => {
    const measured = pageOf("benchmarks");
    const repeated = ["68 MB", "209 MB", "490 MiB", "59 MB", "0.47", "0.89", "1.34", "3.94"];
    const decimal = (number: string) => (name === "sizing" ? number : number.replace(".", ","));
    expect(repeated.filter((number) => !measured.includes(number))).toEqual([]);
    expect(repeated.filter((number) => !pageOf(name).includes(decimal(number)))).toEqual([]);
  });
