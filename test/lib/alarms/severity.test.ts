import { expect, test } from "bun:test";
import {
  ALARM_SEVERITIES,
  compareSeverities,
  severitiesDescending,
} from "../../../src/lib/alarms/severity.ts";
import { catalogues } from "../../../src/lib/texts/catalogues.ts";
import german from "../../../src/lib/texts/first-screens.de.json";
import english from "../../../src/lib/texts/first-screens.en.json";

test("severities are compared in the order of their list", () => {
  expect([...severitiesDescending].sort(compareSeverities)).toEqual([...ALARM_SEVERITIES]);
  expect(compareSeverities("CRITICAL", "WARNING")).toBeGreaterThan(0);
  expect(compareSeverities("MINOR", "MINOR")).toBe(0);
});

test("server and console have the same word for each severity", () => {
  for (const severity of ALARM_SEVERITIES) {
    expect(catalogues.en[`alarm_severity.${severity}`]).toBe(english[`severity.${severity}`]);
    expect(catalogues.de[`alarm_severity.${severity}`]).toBe(german[`severity.${severity}`]);
  }
});

/** The list itself, and a plant whose rules have all kinds of severities. */
const ALLOWED = [
  "src/lib/alarms/severity.ts",
  "src/modules/demo-plant/plant-content.ts",
  "src/modules/system/gateway-profile.ts",
];

test("the names of severities stand in the list alone", async () => {
  const names = /"(?:INDETERMINATE|WARNING|MINOR|MAJOR|CRITICAL)"/g;
  const files = [...new Bun.Glob("src/{lib,modules,web,mqtt,http,cli}/**/*.{ts,tsx}").scanSync()];
  expect(files.length).toBeGreaterThan(500);
  const copies: string[] = [];
  for (const file of files) {
    const found = new Set((await Bun.file(file).text()).match(names) ?? []);
    if (found.size >= 4 && !ALLOWED.includes(file)) copies.push(file);
  }
  expect(copies).toEqual([]);
});
