import { signal } from "@preact/signals";
import type { firstEn } from "../../catalogue/first.en.ts";
import type { restEn } from "../../catalogue/rest.en.ts";
import { loadPart } from "../load-part.ts";
import { type Language, language } from "../preferences.ts";
import { loadServerTexts } from "./error-texts.ts";

type Catalogue = typeof firstEn & typeof restEn;
export type MessageKey = keyof Catalogue;
type Texts = Readonly<Partial<Record<MessageKey, string>>>;

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;
type Params<Key extends MessageKey> = Record<Placeholders<Catalogue[Key]>, string | number>;
type Args<Key extends MessageKey> = [Placeholders<Catalogue[Key]>] extends [never]
  ? []
  : [params: Params<Key>];

/** Keyed by language: what the first screens show, and the rest. */
const LOADERS: Record<Language, readonly [first: () => Promise<Texts>, rest: () => Promise<Texts>]> = {
  en: [
    async () => (await import("../../catalogue/first.en.ts")).firstEn,
    async () => (await import("../../catalogue/rest.en.ts")).restEn,
  ],
  de: [
    async () => (await import("../../catalogue/first.de.ts")).firstDe,
    async () => (await import("../../catalogue/rest.de.ts")).restDe,
  ],
};
const catalogues = new Map<Language, Texts>();
/** Parts that were asked for. */
const asked = new Map<() => Promise<Texts>, Promise<void>>();
/** Counts what has come, so that what is shown already follows. */
const arrived = signal(0);

async function fetchTexts(wanted: Language, load: () => Promise<Texts>): Promise<void> {
  try {
    const texts = await loadPart(load);
    catalogues.set(wanted, { ...catalogues.get(wanted), ...texts });
    arrived.value++;
  } catch (error) {
    asked.delete(load);
    throw error;
  }
}

function ensureTexts(wanted: Language, load: () => Promise<Texts>): Promise<void> {
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

/** A key without a text stands for itself: the page is still of use. */
function textOf(key: MessageKey): string {
  // Read for the components that ask, which follow it.
  void arrived.value;
  return catalogues.get(language.value)?.[key] ?? key;
}

/** Returns whether the catalogue of the current language has a text for `key`. */
export const hasText = (key: string): key is MessageKey => {
  void arrived.value;
  return Object.hasOwn(catalogues.get(language.value) ?? {}, key);
};

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
