import { expect, test } from "bun:test";
import { checkComments, checkFile, checkPage, checkSentences } from "../../../src/tools/check/vocabulary.ts";

const problemsOf = (comment: string) =>
  checkComments("src/lib/example.ts", `const first = 1;\n\n${comment}\nexport const second = 2;\n`);

test.each([
  "/** Returns what is stored. */",
  "/** Describes how a value moves. */",
  "  /** States where the newest value is. */",
  "/**\n * Shows which rows are left,\n * and why.\n */",
  "/** … nor is one that carried less. */",
  "/** Sealed at the latest after this time … */",
])("the check reports %p", (comment) => {
  const problems = problemsOf(comment);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toStartWith("src/lib/example.ts:3: doc comment with ");
});

test.each([
  ["//", "Signing in is dear."],
  ["const third = 3; //", "depths beyond that are no JSON"],
  ["//", "Whoever waits for it continues."],
  ["work.catch(() => undefined); //", "the caller gets to know it"],
  ["/*", "Rows, of which only one is read. */"],
  ["/**\n *", "Waits for the end of the\n * own session.\n */"],
])("the check reports the phrase of %p %p", (start, comment) => {
  const problems = problemsOf(`${start} ${comment}`);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toStartWith("src/lib/example.ts:3: write another phrase than ");
});

test.each([
  "// A list, some of which is read; there is no other, and it is no longer kept.",
  'const url = "https://example.com/whoever";',
  "/** Returns whether the file is open. */",
  "/** Returns the rows that are left. */",
  "/** Whatever it returns, what counts is the time. */",
  "/** Topics under `v1/gateway/…` of gateways. */",
  "// Returns what is stored.",
  'const text = "/** Returns what is stored. */";',
])("the check allows %p", (comment) => {
  expect(problemsOf(comment)).toEqual([]);
});

test.each([
  ["docs/users.md", "change only the own name"],
  ["docs/users.md", "An unknown field is a 400."],
  ["docs/users.md", "The change applies at once."],
  ["docs/users.md", "A device is no user."],
  ["docs/mail.md", "an e-mail to the owner"],
  ["docs/plans.md", "own name, logo and colour"],
  ["src/lib/texts/server.en.json", "The E-mail address is wrong."],
  ["docs/s7.md", "| symptom | remedy |"],
  ["docs/de/s7.md", "| Anzeichen | Abhilfe |"],
  ["docs/de/users.md", "Geräte mit einem Schlagwort"],
  ["docs/users.md", "Other devices are 404, as if they did not exist."],
  ["docs/alarms.md", "shows the present state of a rule"],
  ["docs/de/sign-in.md", "Die Konsole erneuert es selbsttätig."],
  ["docs/de/audit.md", "in ihrer Reihenfolge, was immer die Uhr zeigte"],
  ["docs/de/generators.md", "Pause (sonst 60 Messungen)"],
  ["docs/de/sign-in.md", "Ein Zugriffstoken gilt 12 h."],
  ["docs/de/device-protocol.md", "ein gemeinsames Attribut"],
  ["src/lib/texts/server.de.json", "der Integration"],
  ["docs/de/clock.md", "Regel für versäumte Zeiten"],
  ["docs/de/users.md", "Sie erhalten eine Mail."],
  ["docs/de/users.md", "siehe [sign-in.md](sign-in-limits.md#grenzen)"],
])("the check reports a page %s with %p", (file, line) => {
  expect(checkPage(file, `# Title\n\n${line}`)).toEqual([expect.stringContaining(`${file}:3: `)]);
});

test.each([
  ["docs/scale.md", "Forty sites with 500 devices are 400,000 series."],
  ["docs/users.md", "It returns 404. The gateway's own site is the owner's."],
  ["docs/de/audit.md", "Das ist sonst nicht möglich (sonst nie)."],
  ["docs/de/index.md", "the own"],
  [
    "docs/de/users.md",
    "Der Mailserver sendet eine E-Mail mit [Grenzen](sign-in-limits.md), siehe `integration` und #mail.",
  ],
])("the check allows a page %s with %p", (file, line) => {
  expect(checkPage(file, line)).toEqual([]);
});

test.each([
  ["src/modules/example.routes.ts", 'const detail = { summary: "Read the own profile" };'],
  ["src/modules/example.routes.ts", "const detail = { description: `An unknown id is a 404.` };"],
  ["src/cli/example.ts", 'console.log("The change applies at once.");'],
])("the check reports a published text in %s: %p", (file, source) => {
  expect(checkFile(file, source)).toHaveLength(1);
});

test("the check leaves alone what is not published", () => {
  expect(checkFile("src/modules/example.ts", 'const text = "at once";')).toEqual([]);
  expect(
    checkFile("src/modules/bacnet/example.ts", 'const schema = { description: "present value" };'),
  ).toEqual([]);
});

const words = (count: number) => `Each${" word".repeat(count - 1)}.`;

test.each([
  ["a paragraph", `Short. ${words(36)}`],
  ["an item of a list", `- One.\n- ${words(36)}`],
  ["lines that are wrapped", words(36).replaceAll(/((?:\S+ ){9})/g, "$1\n")],
  ["a sentence with links", `[Each](a.md) ${words(36)}`],
])("the check reports a sentence that is too long in %s", (_, text) => {
  expect(checkSentences("docs/users.md", text)).toEqual([
    expect.stringMatching(/divide the sentence of 3[67] words/),
  ]);
});

test.each([
  ["as many words as allowed", words(35)],
  ["code and parentheses", `${words(34)} \`${words(30)}\` (${words(30)})`],
  ["two sentences", `${words(30)} ${words(30)}`],
  ["a table and a block of code", `| ${words(60)} |\n\n\`\`\`\n${words(60)}\n\`\`\``],
])("the check allows %s", (_, text) => {
  expect(checkSentences("docs/users.md", text)).toEqual([]);
});
