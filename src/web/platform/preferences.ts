import { effect, signal } from "@preact/signals";
import { BASE } from "./base.ts";

export type Theme = "light" | "dark" | "system";
export type Language = "en" | "de";

/** Returns the name of an entry in the browser's storage, which all gateways on one host share. */
export const storedName = (key: string): string => key + BASE;

/** Private windows may refuse storage; preferences are then not kept. */
export function readStored(key: string, from: () => Storage = () => localStorage): string | undefined {
  try {
    return from().getItem(storedName(key)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeStored(
  key: string,
  value: string | undefined,
  to: () => Storage = () => localStorage,
): void {
  try {
    if (value === undefined) to().removeItem(storedName(key));
    else to().setItem(storedName(key), value);
  } catch {
    // Full or blocked storage must not break the page.
  }
}

function storedTheme(): Theme {
  const stored = readStored("lineside.theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

function firstLanguage(): Language {
  const stored = readStored("lineside.language");
  if (stored === "en" || stored === "de") return stored;
  return globalThis.navigator?.language?.startsWith("de") ? "de" : "en";
}

export const theme = signal<Theme>(storedTheme());
export const language = signal<Language>(firstLanguage());
/** True if the dark theme is active, for parts that CSS cannot style (the canvas of charts). */
export const darkNow = signal(false);

export function watchPreferences(): void {
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const systemDarkNow = signal(systemDark.matches);
  systemDark.addEventListener("change", () => {
    systemDarkNow.value = systemDark.matches;
  });
  const isPrinting = signal(false);
  for (const [event, is] of [["beforeprint", true] as const, ["afterprint", false] as const])
    addEventListener(event, () => {
      isPrinting.value = is;
    });
  effect(() => {
    const root = document.documentElement;
    // Printing uses the light theme.
    if (isPrinting.value) root.dataset.theme = "lineside-light";
    else if (theme.value === "system") delete root.dataset.theme;
    else root.dataset.theme = `lineside-${theme.value}`;
    writeStored("lineside.theme", theme.value === "system" ? undefined : theme.value);
    darkNow.value =
      !isPrinting.value && (theme.value === "dark" || (theme.value === "system" && systemDarkNow.value));
  });
  effect(() => {
    document.documentElement.lang = language.value;
    writeStored("lineside.language", language.value);
  });
}
