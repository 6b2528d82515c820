import { signal } from "@preact/signals";
import type consoleTexts from "../../../lib/texts/console.en.json";
import type firstTexts from "../../../lib/texts/first-screens.en.json";
import type { ConsolePlaces } from "../../../lib/texts/places.ts";
import type { Catalogue, TextArgs } from "../../../lib/texts/text.ts";
import { loadPart } from "../load-part.ts";
import { type Language, language } from "../preferences.ts";
import { loadServerTexts } from "./error-texts.ts";

export type MessageKey = keyof typeof firstTexts | keyof typeof consoleTexts;
type Args<Key extends MessageKey> = TextArgs<ConsolePlaces, Key, string | number>;

/** Keyed by language: what the first screens show, and the rest. */
const LOADERS: Record<Language, readonly [first: () => Promise<Catalogue>, rest: () => Promise<Catalogue>]> =
  {
    en: [
      async () => (await import("../../../lib/texts/first-screens.en.json")).default,
      async () => (await import("../../../lib/texts/console.en.json")).default,
    ],
    de: [
      async () => (await import("../../../lib/texts/first-screens.de.json")).default,
      async () => (await import("../../../lib/texts/console.de.json")).default,
    ],
  };
const catalogues = new Map<Language, Catalogue>();
/** Parts that were asked for. */
const asked = new Map<() => Promise<Catalogue>, Promise<void>>();
/** Counts what has come, so that what is shown already follows. */
const arrived = signal(0);

async function fetchTexts(wanted: Language, load: () => Promise<Catalogue>): Promise<void> {
  try {
    const texts = await loadPart(load);
    catalogues.set(wanted, { ...catalogues.get(wanted), ...texts });
    arrived.value++;
  } catch (error) {
    asked.delete(load);
    throw error;
  }
}

function ensureTexts(wanted: Language, load: () => Promise<Catalogue>): Promise<void> {
  const existing = asked.get(load) ?? fetchTexts(wanted, load);
  asked.set(load, existing);
  return existing;
}

/** Fetches what the first screens show in a language; nothing may be shown in it before. */
export const loadFirstTexts = (wanted: Language): Promise<void> => ensureTexts(wanted, LOADERS[wanted][0]);

/** Fetches all texts of a language: before it is changed to, and before any screen that is loaded later. */
export async function loadLanguage(wanted: Language): Promise<void> {
  await Promise.all([...LOADERS[wanted].map((load) => ensureTexts(wanted, load)), loadServerTexts(wanted)]);
}

/** The text of a key that the server named, in the current language; `undefined` if the catalogue has none. */
export function textIfAny(key: string): string | undefined {
  // Read for the components that ask, which follow it.
  void arrived.value;
  const texts: Catalogue = catalogues.get(language.value) ?? {};
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/** A key without a text stands for itself: the page is still of use. */
const textOf = (key: MessageKey): string => textIfAny(key) ?? key;

/** The text in the current language; reading it inside a component makes the component follow a change of language. */
export function t<Key extends MessageKey>(key: Key, ...args: Args<Key>): string {
  const params: Record<string, string | number> = args[0] ?? {};
  return textOf(key).replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ""));
}

type PluralStem = MessageKey extends infer K ? (K extends `${infer Stem}.one` ? Stem : never) : never;

/** Chooses `<stem>.one` or `<stem>.other` and fills in `{count}`. */
export function plural(stem: PluralStem, count: number): string {
  const form = new Intl.PluralRules(language.value).select(count) === "one" ? "one" : "other";
  const text = textOf(`${stem}.${form}`);
  return text.replaceAll("{count}", new Intl.NumberFormat(language.value).format(count));
}
