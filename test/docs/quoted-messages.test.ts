import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Messages that the tables of symptoms quote are texts of the program in the language of the page. */

const root = join(import.meta.dir, "../..");
const read = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");

/** Quotations from outside the catalogs, with their source. */
const OTHER_QUOTATIONS: Readonly<Record<string, string>> = {
  "A TLS error occurred": "Mosquitto",
  "certificate verify failed": "OpenSSL",
  "Connection Refused: bad user name or password.": "Mosquitto",
  "lineside check": "a command",
  "lineside healthcheck": "a command",
  "permission denied for schema lineside": "PostgreSQL",
  "Qualität BadNoCommunication": "OPC UA server",
  "Quality BadNoCommunication": "OPC UA server",
  "self-signed certificate in certificate chain": "OpenSSL",
  "System clock synchronized: no": "timedatectl",
};

const ANY = "\u0000";

/** Whether a text of the program, with values for its placeholders, is what the quotation shows; “…” in the quotation stands for any part. */
function isQuoted(quotation: string, template: string): boolean {
  const quoted = plain(quotation);
  const text = plain(template).replaceAll(/\{[^}]*\}/g, ANY);
  const matches = (index: number, textIndex: number): boolean => {
    const [character, expected] = [quoted[index], text[textIndex]];
    if (character === "…" && matches(index + 1, textIndex)) return true;
    if (character === undefined || expected === undefined) return character === expected;
    if (character === "…") return matches(index, textIndex + 1);
    if (expected === ANY) return matches(index + 1, textIndex) || matches(index + 1, textIndex + 1);
    return character === expected && matches(index + 1, textIndex + 1);
  };
  const hasWord = /\p{L}{4}/u.test(text);
  return (hasWord && matches(0, 0)) || quoted === text;
}

const plain = (text: string): string => text.replaceAll(/`|\*\*/g, "").trim();

/** Messages at startup and of commands, which are English on every page. */
const messagesOfProgram = ["src/cli", "src/http", "src/mqtt", "src/platform"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...read(folder, file).matchAll(/`([^`]+)`|"([^"\n]+)"/g)])
    .map((match) => (match[1] ?? match[2] ?? "").replaceAll("${", "{")),
);

function textsOf(language: string): string[] {
  const files = readdirSync(join(root, "src/lib/texts")).filter((file) => file.endsWith(`.${language}.json`));
  const texts = files.flatMap((file) => Object.entries<string>(JSON.parse(read("src/lib/texts", file))));
  // A rule stands after the name of its field.
  return texts.map(([code, text]) => (/^(?:rule|expected)\./.test(code) ? `\`{field}\` ${text}.` : text));
}

/** First cells of the tables of symptoms, with the line. */
function symptomsOf(page: string): [number, string][] {
  let isSymptoms = false;
  return page.split("\n").flatMap((line, index): [number, string][] => {
    const cell = /^\|((?:[^|\\]|\\.)*)\|/.exec(line)?.[1]?.trim();
    if (cell === undefined) isSymptoms = false;
    else if (isSymptoms) return [[index + 1, cell]];
    else isSymptoms = /^(?:symptom|message|meldung)$/i.test(cell);
    return [];
  });
}

const quotationsOf = (cell: string): string[] =>
  [...cell.matchAll(/``(.+?)``|`([^`]+)`|\*\*([^*]+)\*\*/g)]
    .map((match) => (match[1] ?? match[2] ?? match[3] ?? "").trim())
    .filter((quotation) => quotation.includes(" "));

for (const [language, folder] of [
  ["en", "docs"],
  ["de", "docs/de"],
] as const)
  test(`the messages in tables of symptoms are texts of the program (${language})`, () => {
    const texts = [...textsOf(language), ...messagesOfProgram];
    const quotations = readdirSync(join(root, folder))
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) =>
        symptomsOf(read(folder, file)).flatMap(([line, cell]) =>
          quotationsOf(cell).map((quotation) => ({ place: `${folder}/${file}:${line}`, quotation })),
        ),
      );
    expect(quotations.length).toBeGreaterThan(30);
    const unknown = quotations.filter(
      ({ quotation }) =>
        !Object.hasOwn(OTHER_QUOTATIONS, quotation) && !texts.some((text) => isQuoted(quotation, text)),
    );
    expect(unknown.map(({ place, quotation }) => `${place}: ${quotation}`)).toEqual([]);
  });
