import { t } from "../../platform/i18n/i18n.ts";

/** Returns whether a value is the placeholder of a stored secret. */
export const isKept = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "kept" in value;

export function KeptSecret({ label, onReplace }: { label: string; onReplace: () => void }) {
  return (
    <span class="flex min-w-0 items-center gap-2 py-1">
      <span class="min-w-0 flex-1 truncate text-soft">
        <span class="sr-only">{label}: </span>
        {t("step.kept")}
      </span>
      <button type="button" class="btn btn-sm flex-none" onClick={onReplace}>
        {t("step.replaceSecret")}
      </button>
    </span>
  );
}
