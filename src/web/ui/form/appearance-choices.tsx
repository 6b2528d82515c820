import { Monitor, Moon, Sun } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { loadLanguage, t } from "../../platform/i18n/i18n.ts";
import { type Language, language, type Theme, theme } from "../../platform/preferences.ts";

const THEMES = [
  { value: "light", key: "theme.light", Icon: Sun },
  { value: "dark", key: "theme.dark", Icon: Moon },
  { value: "system", key: "theme.system", Icon: Monitor },
] as const;

const LANGUAGES: readonly { value: Language; name: string }[] = [
  { value: "en", name: "English" },
  { value: "de", name: "Deutsch" },
];

function Choice(props: { pressed: boolean; onClick: () => void; children: ComponentChildren }) {
  return (
    <button
      type="button"
      class={`btn btn-sm flex-1 gap-1.5 px-2 font-medium ${props.pressed ? "btn-neutral" : "btn-ghost"}`}
      aria-pressed={props.pressed}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

export function ThemeChoice() {
  const select = (value: Theme) => {
    theme.value = value;
  };
  return (
    <fieldset class="min-w-0">
      <legend class="panel-label mb-1">{t("theme.label")}</legend>
      <div class="flex rounded-field border border-base-300">
        {THEMES.map(({ value, key, Icon }) => (
          <Choice key={value} pressed={theme.value === value} onClick={() => select(value)}>
            <Icon size={14} aria-hidden="true" />
            {t(key)}
          </Choice>
        ))}
      </div>
    </fieldset>
  );
}

export function LanguageChoice() {
  const select = async (value: Language) => {
    await loadLanguage(value);
    language.value = value;
  };
  return (
    <fieldset class="min-w-0">
      <legend class="panel-label mb-1">{t("language.label")}</legend>
      <div class="flex rounded-field border border-base-300">
        {LANGUAGES.map(({ value, name }) => (
          <Choice key={value} pressed={language.value === value} onClick={() => select(value)}>
            <span lang={value}>{name}</span>
          </Choice>
        ))}
      </div>
    </fieldset>
  );
}
