import { signal } from "@preact/signals";
import type consoleTexts from "../../../lib/texts/console.en.json";
import type firstTexts from "../../../lib/texts/first-screens.en.json";
import type { ConsolePlaces } from "../../../lib/texts/places.ts";
import type { Catalogue, TextArgs } from "../../../lib/texts/text.ts";
import { loadPart } from "../load-part.ts";
import { type Language, language } from "../preferences.ts";
import { redrawOn } from "../redraw-on.ts";
import { loadServerTexts } from "./error-texts.ts";

export type MessageKey = keyof typeof firstTexts | keyof typeof consoleTexts;
type Args<Key extends MessageKey> = TextArgs<ConsolePlaces, Key, string | number>;

/** By language: the texts of the first screens, and the rest. */
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
/** Requested parts. */
const asked = new Map<() => Promise<Catalogue>, Promise<void>>();
/** Number of loaded parts; components that read it are drawn again. */
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

/** Loads the texts of the first screens; nothing can be shown in the language before. */
export const loadFirstTexts = (wanted: Language): Promise<void> => ensureTexts(wanted, LOADERS[wanted][0]);

/** Loads all texts of a language: before switching to it, and before any screen loaded later. */
export async function loadLanguage(wanted: Language): Promise<void> {
  await Promise.all([...LOADERS[wanted].map((load) => ensureTexts(wanted, load)), loadServerTexts(wanted)]);
}

/** Returns the text of a key that the server named, in the current language; `undefined` if there is none. */
export function textIfAny(key: string): string | undefined {
  // Read to subscribe the calling components.
  redrawOn(arrived);
  const texts: Catalogue = catalogues.get(language.value) ?? {};
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/** Returns the key itself if it has no text: the page is still usable. */
const textFor = (key: MessageKey): string => textIfAny(key) ?? key;

/** Returns the text in the current language. A component that calls it is drawn again when the language changes. */
export function t<Key extends MessageKey>(key: Key, ...args: Args<Key>): string {
  const params: Record<string, string | number> = args[0] ?? {};
  return textFor(key).replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ""));
}

type PluralStem = MessageKey extends infer K ? (K extends `${infer Stem}.one` ? Stem : never) : never;

/** Selects `<stem>.one` or `<stem>.other` and fills in `{count}`. */
export function plural(stem: PluralStem, count: number): string {
  const form = new Intl.PluralRules(language.value).select(count) === "one" ? "one" : "other";
  const text = textFor(`${stem}.${form}`);
  return text.replaceAll("{count}", new Intl.NumberFormat(language.value).format(count));
}
