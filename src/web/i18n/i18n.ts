import { loadPart } from "../state/load-part.ts";
import { type Language, language } from "../state/preferences.ts";
import type { en } from "./en.ts";

type Catalogue = typeof en;
export type MessageKey = keyof Catalogue;
/** What a translation must provide: every key, nothing else. */
export type Translation = Readonly<Record<MessageKey, string>>;

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;
type Params<Key extends MessageKey> = Record<Placeholders<Catalogue[Key]>, string | number>;
type Args<Key extends MessageKey> = [Placeholders<Catalogue[Key]>] extends [never]
  ? []
  : [params: Params<Key>];

const LOADERS: Record<Language, () => Promise<Translation>> = {
  en: async () => (await import("./en.ts")).en,
  de: async () => (await import("./de.ts")).de,
};
/** The languages that were asked for. */
const catalogues = new Map<Language, Translation>();

/** Fetches the texts of a language; nothing may be shown in it before. */
export async function loadLanguage(wanted: Language): Promise<void> {
  if (!catalogues.has(wanted)) catalogues.set(wanted, await loadPart(LOADERS[wanted]));
}

/** A key without a text stands for itself: the page is still of use. */
const textOf = (key: MessageKey): string => catalogues.get(language.value)?.[key] ?? key;

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
