import { t } from "../platform/i18n/i18n.ts";

/** A lamp and the word for it: state is never told by colour alone. */
export function StateLamp({ active, bare = false }: { active: boolean; bare?: boolean }) {
  const text = active ? t("state.active") : t("state.inactive");
  return (
    <span class="inline-flex items-center gap-2.5">
      <span class={`lamp ${active ? "lamp-on" : ""}`} aria-hidden="true" />
      <span class={bare ? "sr-only" : "text-sm"}>{text}</span>
    </span>
  );
}
