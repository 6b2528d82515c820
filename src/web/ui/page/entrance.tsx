import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { loadAppearance } from "../../platform/appearance.ts";
import { Brand } from "../brand.tsx";
import { LanguageChoice, ThemeChoice } from "../form/appearance-choices.tsx";
import { useTitle } from "./use-title.ts";

export function Entrance({ title, children }: { title: string; children: ComponentChildren }) {
  useTitle(title);
  useEffect(() => void loadAppearance(false), []);
  return (
    <div class="h-dvh overflow-y-auto">
      <main class="mx-auto flex min-h-full max-w-md flex-col justify-center gap-6 px-4 py-8">
        <Brand />
        <div class="panel p-6">
          <h1 class="mb-4 text-xl font-semibold tracking-tight">{title}</h1>
          {children}
        </div>
        <div class="grid gap-4 sm:grid-cols-[1fr_1.4fr]">
          <LanguageChoice />
          <ThemeChoice />
        </div>
      </main>
    </div>
  );
}
