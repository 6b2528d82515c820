import { get } from "../../platform/api-client.ts";

export interface ManualPage {
  readonly id: string;
  readonly title: string;
  readonly html: string;
  readonly language: string;
}

export interface ManualSection {
  readonly id: string;
  readonly pages: readonly ManualPage[];
}

export const loadManual = (language: string) => get<ManualSection[]>(`/manual.${language}.json`);

const AROUND = 90;

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

export const plainText = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, " ")
    .replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replace(/\s+/g, " ")
    .trim();

export interface Finding {
  readonly page: ManualPage;
  readonly excerpt: string;
}

/** Returns pages with all words, those with the words in their title first, with the text around the first word. */
export function findInManual(pages: readonly ManualPage[], search: string): Finding[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [];
  const found = pages.flatMap((page) => {
    const text = plainText(page.html);
    const all = `${page.title} ${text}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const index = Math.max(0, text.toLowerCase().indexOf(first));
    const from = Math.max(0, index - AROUND);
    const excerpt = `${from > 0 ? "…" : ""}${text.slice(from, index + AROUND)}…`;
    const isTitle = words.some((word) => page.title.toLowerCase().includes(word));
    return [{ page, excerpt, isTitle }];
  });
  return found.sort((a, b) => Number(b.isTitle) - Number(a.isTitle));
}
