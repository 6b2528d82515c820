// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of site files look like this
import { describe, expect, test } from "bun:test";
import { expressionOf, withExpressions, withNames } from "../../src/cli/site/references.ts";
import { readSite, writeSite } from "../../src/cli/site/site-file.ts";
import { StartupError } from "../../src/platform/process/startup-error.ts";

const HEAD = "format: lineside.site\nversion: 1\n";
const read = (text: string) => () => readSite([{ name: "site.yaml", text }]);
const levels = "abcdefgh";
const laughs = [...levels].map((name, index) => {
  const before = levels[index - 1];
  const value = before === undefined ? "x" : `*${before}`;
  return `${name}: &${name} [${Array(9).fill(value)}]`;
});

describe("site files that are refused", () => {
  const cases: Record<string, [text: string, message: string | RegExp]> = {
    "a file of another kind": ["services: {}\n", "it must have format: lineside.site"],
    "a list": ["- 1\n", "is not a site file"],
    "an empty file": ["", "is not a site file"],
    "a newer version": [
      "format: lineside.site\nversion: 2\n",
      "site.yaml:2: version 2 is newer than this Lineside",
    ],
    "a version that is a text": ['format: lineside.site\nversion: "1"\n', "site.yaml:2: version must be 1"],
    "an unknown section": [
      `${HEAD}pipeline: []\n`,
      'site.yaml:3: "pipeline" is not a section of a site file. Did you mean "pipelines"?',
    ],
    "a section that is no list": [`${HEAD}profiles: {}\n`, "site.yaml:3: profiles must be a list"],
    "settings that are a list": [`${HEAD}escalation: []\n`, "escalation must be an object"],
    "an object without a name": [
      `${HEAD}profiles:\n  - description: x\n`,
      "site.yaml:4: profiles[0] needs a string as name",
    ],
    "a name that is a number": [`${HEAD}profiles:\n  - name: 7\n`, "needs a string as name"],
    "two objects of one name": [
      `${HEAD}profiles:\n  - name: a\n  - name: a\n`,
      'site.yaml:5: profiles."a" is also at site.yaml:4: profiles."a"',
    ],
    "a field that occurs twice": [
      `${HEAD}profiles:\n  - name: a\n    name: b\n`,
      "site.yaml:5: Map keys must be unique",
    ],
    "a key that is a mapping": [`${HEAD}profiles:\n  ? a: 1\n  : 2\n`, "site.yaml:4: Map keys must be texts"],
    "keys of keys": [`${HEAD}profiles:\n${"? ".repeat(4_000)}x\n`, "Map keys must be texts"],
    "broken syntax": [`${HEAD}profiles: [\n`, /^site.yaml:\d+: /],
    "aliases that grow without end": [`${HEAD}${laughs.join("\n")}\n`, "it has too many aliases"],
    "lists without end": [`${HEAD}profiles: ${"[".repeat(100_000)}`, /site.yaml/],
    "tags of a programming language": [`${HEAD}profiles: !!js/function "x"\n`, "Unresolved tag"],
  };
  for (const [name, [text, message]] of Object.entries(cases))
    test(name, () => expect(read(text)).toThrow(message));
});

test("reads several files as one site, and finds a name in two of them", () => {
  const file = (name: string, body: string) => ({ name, text: HEAD + body });
  const site = readSite([
    file("a.yaml", "profiles:\n  - name: a\n"),
    file("b.yaml", "profiles:\n  - name: b\n"),
  ]);
  expect(site.get("profiles")?.map(({ key }) => key)).toEqual(["a", "b"]);
  expect(() =>
    readSite([file("a.yaml", "profiles:\n  - name: a\n"), file("b.yaml", "profiles:\n  - name: a\n")]),
  ).toThrow('b.yaml:4: profiles."a" is also at a.yaml:4');
  expect(() => readSite([file("a.yaml", "escalation: {}\n"), file("b.yaml", "escalation: {}\n")])).toThrow(
    "is also at",
  );
});

test("writes what it reads again, and scripts as blocks of lines", () => {
  const codec = {
    name: "on",
    source: "a\n  b\n",
    description: "2024-01-01",
    sorted: ["yes", "0x10", "~", "", " x "],
  };
  const text = writeSite({ codecs: [codec] });
  expect(text).toContain("source: |\n      a\n        b\n");
  expect(readSite([{ name: "site.yaml", text }]).get("codecs")?.[0]?.fields).toEqual(codec);
});

test("a file that was cut anywhere is refused", () => {
  const text = writeSite({
    codecs: [{ name: "on", source: "a\n  b\n" }],
    profiles: [{ name: "x", retentionDays: 77 }],
  });
  const end = text.trimEnd().length;
  const readCut = (bytes: number) => read(text.slice(0, bytes));
  for (let bytes = 0; bytes < end; bytes++) expect(readCut(bytes)).toThrow(StartupError);
  expect(readCut(end)).not.toThrow();
});

test("a file without an end is no reason to delete what it lacks", () => {
  const readPruning = (text: string) => () => readSite([{ name: "site.yaml", text }], { prunes: true });
  const text = `${HEAD}profiles: []\n`;
  expect(read(text)).not.toThrow();
  expect(readPruning(text)).toThrow("site.yaml may have been cut: with --prune");
  expect(readPruning(`${text}...\n`)).not.toThrow();
});

test("names with braces, and texts that look like references, survive the way there and back", () => {
  const id = "0190b6a0-0000-7000-8000-000000000001";
  const names = new Map([[id, expressionOf("device", "a {b} 100%")]]);
  const value = { [id]: ["${device:x}", "$${device:x}", "$$${secret:x}", "${value}", `see ${id}!`] };
  const written = withNames(value, (found) => names.get(found));
  expect(JSON.stringify(written)).not.toContain(id);
  expect(
    withExpressions(written, (kind, name) => (kind === "device" && name === "a {b} 100%" ? id : "?")),
  ).toEqual(value);
});

test("a field with the name of a prototype is a field like any other", () => {
  const site = readSite([
    { name: "site.yaml", text: `${HEAD}profiles:\n  - name: a\n    __proto__: { polluted: true }\n` },
  ]);
  expect(Object.keys(site.get("profiles")?.[0]?.fields ?? {})).toEqual(["name", "__proto__"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
