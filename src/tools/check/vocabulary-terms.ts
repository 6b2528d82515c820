/** Word that docs/glossary.md replaces. */
export interface Term {
  readonly word: string;
  /** Matched against a name as lower-case words, or against a text of the console. */
  readonly pattern: RegExp;
  /** Prefixes of paths in which the word is correct. */
  readonly allowed?: readonly string[];
}

const names = (words: string, allowed?: readonly string[]): Term[] =>
  words.split(", ").map((word) => ({
    word,
    pattern: new RegExp(`\\b${word}\\b`),
    ...(allowed !== undefined && { allowed }),
  }));

/** Forbidden in names of files, functions, types, properties and constants. */
export const nameTerms: readonly Term[] = [
  ...names("acts, life, quiet, loud, newcomer, company"),
  ...names("waiting room, under way, let go, lost to, judge, judged, judges, fleeting"),
  ...names("tied, to pipe, try out, gathered"),
  // A link of a rule chain exists only in the paths of the contract and in the name of a table.
  ...names("rule chain, rule chains", ["test/contract/", "test/api/route-policies.ts"]),
  // Devices are placed on the image of a dashboard.
  ...names("placed", ["src/web/features/dashboards/", "src/lib/texts/console.en.json"]),
  // `timed out` is a state of commands.
  { word: "timed", pattern: /\btimed\b(?! out\b)/ },
  // Emails wait in the outbox; other queues have other names.
  ...names("outbox", [
    "src/modules/mail/",
    "src/modules/faults/faults.routes.ts",
    "src/web/features/faults/",
    "src/modules/identity/permissions.ts",
    "src/web/features/outbox/",
    "src/web/app/",
    "src/cli/arguments.ts",
    "src/cli/commands/outbox.ts",
    "src/cli/command-line.ts",
    "src/lib/texts/",
    "test/modules/mail/",
    "test/api/",
    "test/cli/outbox.test.ts",
    "test/architecture-web.test.ts",
  ]),
  ...names("notice, notices, colour, colours"),
];

/** Forbidden as whole names of variables and parameters, because they carry no meaning. */
export const localTerms: readonly Term[] = "known, given, made, what, at, one, some"
  .split(", ")
  .map((word) => ({
    word: `${word} (local)`,
    pattern: new RegExp(`^${word}$`),
  }));

/** Forbidden in the English texts of the console. */
export const textTerms: readonly Term[] = [
  ...names("under way, let go, lost to, waiting room, heard from, rule chain, newcomer, the box, trying out"),
  ...names("acts, fleeting"),
].map(({ word, pattern }) => ({ word: `${word} (text)`, pattern: new RegExp(pattern.source, "i") }));

/** Forbidden in English pages and in comments. */
const phrases: readonly Term[] = [
  { word: "the own / an own", pattern: /\b(?:the|an) own\b/i },
  { word: "for ever", pattern: /\bfor ever\b/ },
  { word: "time stamp (timestamp)", pattern: /\btime[ -]stamps?\b/i },
  { word: "is no X (is not a X)", pattern: /(?<!here )\b(?:is|are) no (?!longer\b)/i },
];

/** Forbidden in comments of all kinds. */
export const commentTerms: readonly Term[] = [
  ...phrases,
  { word: ", of which (a new sentence)", pattern: /, of which\b/ },
  { word: "whoever (name the person)", pattern: /\bwhoever\b/i },
  {
    word: "gets to know, hears of it (is told, gets the error)",
    pattern: /\b(?:gets? to know|hears? of it)\b/,
  },
  { word: "dear (expensive)", pattern: /\bdear\b/ },
];

/**
 * Forbidden in pages of docs/, and in German and English texts of the API and the command line: phrases of the other language, and statuses as
 * nouns.
 */
export const pageTerms: Readonly<Record<"en" | "de", readonly Term[]>> = {
  en: [
    ...phrases,
    { word: "is a 409 (returns 409)", pattern: /\b(?:is a|are) [45]\d\d(?!,?\d)/ },
    {
      word: "present version (current)",
      pattern: /\bpresent (?:state|version|value|time|target|settings)\b/,
      allowed: ["src/modules/bacnet/"], // BACnet calls it so
    },
    { word: "at once (immediately, simultaneously, in a burst)", pattern: /\bat once\b/ },
    { word: "e-mail (email)", pattern: /\be-mails?\b/i, allowed: ["src/modules/identity/identity.module"] },
    {
      word: "British spelling (color, behavior, neighbor, favorite, gray)",
      pattern: /(?<![.\w])(?:colour|behaviour|neighbour|favourite|grey|labelled|recognis)/i,
    },
    {
      word: "at the most, the one before, where there is none (at most, the previous, if there is none)",
      pattern: /\bat the most\b|\bthan the one before\b|\bwhere there is none\b/,
    },
    { word: "remedy (fix)", pattern: /\bremed(?:y|ies)\b/i },
    { word: "goes on from, made up for", pattern: /\bgoes on from\b|\bmade up for\b/ },
  ],
  de: [
    { word: "selbsttätig (automatisch)", pattern: /selbsttätig/i },
    { word: "augenblicklich (aktuell)", pattern: /augenblicklich/i },
    { word: "was immer (unabhängig von)", pattern: /, was immer\b/ },
    { word: "sonst (Vorgabe)", pattern: /[(,;:] ?sonst \d/ },
    { word: "falsch für false", pattern: /`falsch`/ },
    { word: "Schlagwort (Tag)", pattern: /Schlagw[oö]rt/ },
    { word: "Registerkarte (Reiter)", pattern: /Registerkarte/ },
    { word: "Anzeichen (Symptom)", pattern: /Anzeichen/ },
    { word: "Wandanzeige (Wandansicht)", pattern: /Wandanzeige/ },
    { word: "Zugriffstoken (Access-Token)", pattern: /Zugriffs-?token/i },
    { word: "gemeinsames Attribut (geteiltes Attribut)", pattern: /\bgemeinsame[smnr]? Attribut/i },
    // "Integrations-" and code in backticks are names of the API.
    { word: "Integration (Anbindung)", pattern: /(?<![\w`/-])Integration(?:en)?(?![\w`-])/ },
    { word: "versäumt (verpasst)", pattern: /versäum/i },
    { word: "Mail (E-Mail)", pattern: /(?<![\w./#-])Mails?(?![\w-]|\.\w)/ },
    { word: "ein Dateiname als Text eines Links", pattern: /\[[\w-]+\.md[^\]]*\]\((?!\.\.\/\.\.\/)/ },
  ],
};

/** Forbidden pattern of doc comments. */
export interface CommentRule {
  /** Description of the pattern, for the report. */
  readonly name: string;
  /** Matched against the text of a doc comment on one line, without its leading stars. */
  readonly pattern: RegExp;
}

/** Verbs that turn clauses into sentences, and the first words of such clauses. */
const EMPTY_VERBS = "Returns|Describes|Says|Gives|Tells|Shows|Defines|Holds|States|Names";
const CLAUSE_WORDS = "what|whose|who|how|where|when|which";

/** Forbidden in doc comments: "Returns what …" hides the noun, and a comment that continues in the next one cannot stand alone. */
export const commentRules: readonly CommentRule[] = [
  {
    name: "a verb before a clause, such as “Returns what …”",
    pattern: new RegExp(`^(?:${EMPTY_VERBS}) (?:${CLAUSE_WORDS})\\b`),
  },
  { name: "“…” at the beginning or the end", pattern: /^…|…$/ },
];
