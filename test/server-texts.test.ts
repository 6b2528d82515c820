import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogues, hasText } from "../src/lib/texts/catalogues.ts";
import { renderText } from "../src/lib/texts/text.ts";

const src = join(import.meta.dir, "../src");
const filesOf = (folder: string) =>
  readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file));

/** A regular expression, or a text to search for, that has two words of prose in a row. */
const PROSE = '[^/\\n"]*\\b[a-z]{2,} [a-z]{2,}\\b';
const patterns = [
  new RegExp(`(?<![\\w)\\]/<*])/(?!\\*)\\^?${PROSE}[^/\\n]*/[a-z]*(?:\\.(?:exec|test)\\(|[,)\\]])`, "gi"),
  new RegExp(`\\.(?:includes|startsWith|endsWith|match|search)\\(["'\`/]${PROSE}`, "gi"),
];

test("the console recognises no sentence of the server", () => {
  const files = filesOf("web").filter((file) => !/user-agent\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(src, file), "utf8");
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([hit]) => `${file}: ${hit}`));
  });
  expect(found).toEqual([]);
});

test("the search for sentences finds one", () => {
  const old = [
    "[/^The plan of this tenant allows (\\d+) messages/, undefined]",
    "const found = /^Acknowledged by (.+)$/s.exec(message)",
    'if (message.startsWith("There is no such device")) return',
  ];
  for (const line of old) expect(patterns.some((pattern) => line.match(pattern))).toBe(true);
});

/** Codes are arguments of functions that take an `ErrorCode`; those that are written in full are in the catalogue. */
test("every code that the server names has a text", () => {
  const named =
    /\b(?:invalid|conflict|notFound|forbidden|detail|exhausted|tooLarge|unsupported|unavailable|limited|unauthenticated|timedOut)\(\s*"([\w.]+)"/g;
  const codes = ["modules", "mqtt", "lib", "http", "platform", "app"].flatMap((folder) =>
    filesOf(folder).flatMap((file) =>
      [...readFileSync(join(src, file), "utf8").matchAll(named)].map(([, code = ""]) => code),
    ),
  );
  expect(codes.length).toBeGreaterThan(400);
  expect(codes.filter((code) => !hasText(code))).toEqual([]);
});

/** Texts that are not sentences, by the beginning of their code, with the reason. */
const PARTS: Readonly<Record<string, string>> = {
  "action.": "what a user may not do, within auth.forbidden and its like",
  "alarm_event.": "an entry in the history of an alarm",
  "alarm_occasion.": "a label",
  "alarm_severity.": "a label",
  "bacnet_protocol.": "the reason at the end of bacnet.bad_response",
  "cron_field.": "the name of a field",
  "decimal_sign.": "the name of a sign",
  "device.this_id": "stands for the ID within device.not_found",
  "device_reference.": "the device within integration.device_unknown",
  "downlink_state.": "a label",
  "expected.": "what a field must be, within rule.expected",
  "field.entry_note": "a label and the sentence of another text",
  "integration_event.stored": "names of devices",
  "loss.": "begins with the name of a file",
  "messenger_error.ntfy": "begins with the name of the service",
  "line_protocol.partial": "begins as clients of InfluxDB expect",
  "notification_way.": "a label",
  "rule.": "continues the sentence of the field, or is a sentence",
  "s7_protocol.": "the reason at the end of s7.bad_response",
  "telemetry.more_keys": "a list of keys within another text",
  "uplink.action_uplinks": "what a user may not do, within auth.forbidden and its like",
};

const isPart = (code: string): boolean => Object.keys(PARTS).some((prefix) => code.startsWith(prefix));

/** A capital letter, code in backticks, a quotation, or a place, whose value may be any of these. */
const BEGINNING = /^[A-ZÄÖÜ`“„{]/;
/** A full stop, a question mark, or a place that holds a whole sentence or command. */
const END = /[.?]$|\{\w+\}$/;

test.each(["en", "de"] as const)("every text of the server is a sentence, in %s", (language) => {
  const texts = Object.entries(catalogues[language]);
  const sentences = texts.filter(([code]) => !isPart(code));
  expect(sentences.length).toBeGreaterThan(900);
  expect(sentences.filter(([, text]) => !(BEGINNING.test(text) && END.test(text)))).toEqual([]);
  const rules = texts.filter(([code]) => code.startsWith("rule."));
  // A rule is whole, or goes on after the name of the field and leaves the full stop to the text that names it.
  const isWhole = (text: string) => BEGINNING.test(text) && END.test(text);
  expect(rules.filter(([, text]) => !isWhole(text) && !/^[a-zäöü].*[^.]$/.test(text))).toEqual([]);
});

test("no part is excepted that the catalogue lacks", () => {
  const codes = Object.keys(catalogues.en);
  expect(Object.keys(PARTS).filter((prefix) => !codes.some((code) => code.startsWith(prefix)))).toEqual([]);
});

test("a sentence within a text brings the full stop of both", () => {
  const catalogue = { outer: "It failed: {reason}. Try again.", inner: "Nothing answers.", list: "{parts}" };
  const inner = { code: "inner", params: {} };
  expect(renderText(catalogue, { code: "outer", params: { reason: inner } })).toBe(
    "It failed: Nothing answers. Try again.",
  );
  expect(renderText(catalogue, { code: "outer", params: { reason: "no route" } })).toBe(
    "It failed: no route. Try again.",
  );
  expect(renderText(catalogue, { code: "list", params: { parts: [inner, inner] } })).toBe(
    "Nothing answers. Nothing answers.",
  );
  expect(renderText(catalogue, { code: "list", params: { parts: ["a", "b"] } })).toBe("a, b");
});
