/** A word that docs/glossary.md replaces. */
export interface Term {
  readonly word: string;
  /** Matched against a name as words in lower case, or against a text of the console. */
  readonly pattern: RegExp;
  /** Paths in which the word is right, by their beginning. */
  readonly allowed?: readonly string[];
}

const names = (words: string, allowed?: readonly string[]): Term[] =>
  words.split(", ").map((word) => ({
    word,
    pattern: new RegExp(`\\b${word}\\b`),
    ...(allowed !== undefined && { allowed }),
  }));

/** Not in file names, nor in names of functions, types, properties and constants. */
export const nameTerms: readonly Term[] = [
  ...names(
    "acts, life, look, looked, looks, quiet, loud, telling, tell, told, tells, newcomer, company, turns",
  ),
  ...names("waiting room, under way, let go, lost to, judge, judged, judges, fleeting, placed, heard, hear"),
  ...names("made, make, makes, maker, choose, chosen, tied, to pipe, try out, gathered, people"),
  // A link of a rule chain exists only in the paths of the contract and in the name of a table.
  ...names("rule chain, rule chains", ["test/contract/"]),
  // A time-out is a state of a command.
  { word: "timed", pattern: /\btimed\b(?! out\b)/ },
  // Mails wait in the outbox. A notice is the part of a site in which something is announced to everybody.
  ...names("outbox", [
    "src/modules/mail/",
    "src/web/features/outbox/",
    "src/cli/outbox.ts",
    "test/modules/mail/",
    "test/api/outbox.test.ts",
    "test/cli/outbox.test.ts",
  ]),
  ...names("notice, notices"),
];

/** Not as whole names of variables and parameters: they say that something exists, not what it is. */
export const localTerms: readonly Term[] = "known, given, made, what, at, one, some"
  .split(", ")
  .map((word) => ({
    word: `${word} (local)`,
    pattern: new RegExp(`^${word}$`),
  }));

/** Not in the English texts of the console. */
export const textTerms: readonly Term[] = [
  ...names(
    "under way, let go, lost to, waiting room, choose, chosen, heard from, rule chain, newcomer, the box, trying out",
  ),
  ...names("acts, fleeting, telling, told, people"),
].map(({ word, pattern }) => ({ word: `${word} (text)`, pattern: new RegExp(pattern.source, "i") }));
