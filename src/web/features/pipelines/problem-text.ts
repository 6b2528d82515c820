import { language } from "../../platform/preferences.ts";

type Known = readonly [pattern: RegExp, en: string, de: string];

/** What the server has against a field, in the reader's words; `$1` is what it found. */
const KNOWN: readonly Known[] = [
  [/^Expected (number|integer)$/, "This must be a number.", "Das muss eine Zahl sein."],
  [/^Expected (?:number|integer) to be greater or equal to (.+)$/, "At least $1.", "Mindestens $1."],
  [/^Expected (?:number|integer) to be less or equal to (.+)$/, "At most $1.", "Höchstens $1."],
  [/^Expected string length less or equal to (\d+)$/, "At most $1 characters.", "Höchstens $1 Zeichen."],
  [/^Expected (?:array|string) length (?:to be )?greater or equal to 1$/, "Still needed.", "Fehlt noch."],
  [/^Expected required property$/, "Still needed.", "Fehlt noch."],
  [
    /^url must be an http/,
    "This must be an http or https address.",
    "Das muss eine http- oder https-Adresse sein.",
  ],
  [
    /^url must not carry a user/,
    "No user and password in the address; use an Authorization header.",
    "Kein Benutzer und Passwort in der Adresse; dafür gibt es den Header Authorization.",
  ],
  [
    /^headers: (.+) is set by the gateway/,
    "$1 is set by the gateway itself.",
    "$1 setzt das Gateway selbst.",
  ],
  [
    /^headers: (.+) is no name of a header/,
    "$1 is no name of a header.",
    "$1 ist kein Name für einen Header.",
  ],
  [
    /^headers: (.+) has characters/,
    "$1 has characters that no header may have.",
    "$1 hat Zeichen, die in keinem Header stehen dürfen.",
  ],
  [
    /^a secret that should be kept is not there/,
    "A secret that should be kept is not there any more. Enter it again.",
    "Ein Geheimnis, das bleiben soll, gibt es nicht mehr. Geben Sie es neu ein.",
  ],
  [
    /^the webhook goes to another server now/,
    "The webhook goes to another server now. Enter its secrets again.",
    "Der Webhook geht jetzt an einen anderen Server. Geben Sie die Geheimnisse neu ein.",
  ],
];

/** Which step of those that were tried a note is about. */
const OF_STEP = /^\S+ \(step (\d+)\)(?:| was left out): (.*)$/s;

const NOTES: readonly Known[] = [
  [/^http is not encrypted$/, "http is not encrypted.", "http ist nicht verschlüsselt."],
  [
    /^http is not encrypted; its secret headers/,
    "http is not encrypted; its secret headers can be read on the way.",
    "http ist nicht verschlüsselt; die geheimen Header sind unterwegs lesbar.",
  ],
  [
    /^without a secret the receiver/,
    "Without a secret the receiver cannot tell who sent a request.",
    "Ohne Geheimnis kann der Empfänger nicht erkennen, von wem eine Anfrage kommt.",
  ],
  [
    /^nothing would be sent to (\S+): it is this machine itself/,
    "Nothing would be sent to $1: it is this machine itself. The setting outbound_allow lets an address through.",
    "An $1 würde nichts gesendet: Das ist dieser Rechner selbst. Die Einstellung outbound_allow lässt eine Adresse zu.",
  ],
  [/^nothing would be sent to (.+)$/s, "Nothing would be sent to $1", "Es würde nichts gesendet an $1"],
  [
    /^nothing is left of the message$/,
    "Nothing is left of the message.",
    "Von der Nachricht bleibt nichts übrig.",
  ],
];

function inOwnWords(text: string, known: readonly Known[]): string | undefined {
  for (const [pattern, en, de] of known) {
    const found = pattern.exec(text);
    if (found) return (language.value === "de" ? de : en).replace("$1", found[1] ?? "");
  }
  return undefined;
}

export const problemText = (message: string): string => inOwnWords(message, KNOWN) ?? message;

/** What a preview says beside its result. */
export function noteText(note: string): string {
  const [, step, what = note] = OF_STEP.exec(note) ?? [];
  const text = inOwnWords(what, NOTES) ?? problemText(what);
  return step === undefined ? text : `${language.value === "de" ? "Schritt" : "Step"} ${step}: ${text}`;
}
