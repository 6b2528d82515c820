import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { StepType } from "./pipelines-api.ts";
import { stepText } from "./step-texts.ts";

interface Props {
  readonly types: readonly StepType[];
  readonly onClose: (selected: StepType | undefined) => void;
}

/** All types of steps with their purposes. */
export function AddStepDialog({ types, onClose }: Props) {
  const [search, setSearch] = useState("");
  const found = types.filter(({ type, summary }) => {
    const { title, what } = stepText(type, summary);
    return `${type} ${title} ${what}`.toLowerCase().includes(search.trim().toLowerCase());
  });
  return (
    <Dialog title={t("step.addTitle")} onClose={() => onClose(undefined)} wide>
      <div class="flex flex-col gap-3">
        <input
          type="search"
          class="input w-full"
          placeholder={t("step.search")}
          aria-label={t("step.search")}
          value={search}
          autofocus
          onInput={(e) => setSearch(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== "Enter") return;
            e.preventDefault(); // it would submit a form around the steps
            if (found[0]) onClose(found[0]);
          }}
        />
        <ul class="grid grid-cols-2 gap-x-4 lg:grid-cols-3">
          {found.map((stepType) => {
            const { title, what } = stepText(stepType.type, stepType.summary);
            return (
              <li key={stepType.type}>
                <button
                  type="button"
                  class="w-full cursor-pointer rounded-field px-2 py-2 text-left hover:bg-base-200 sm:py-2.5"
                  onClick={() => onClose(stepType)}
                >
                  <span class="font-medium">{title}</span>
                  <span class="block text-sm text-soft max-sm:sr-only">{what}</span>
                </button>
              </li>
            );
          })}
        </ul>
        <div class="flex justify-end">
          <button type="button" class="btn btn-ghost" onClick={() => onClose(undefined)}>
            {t("common.cancel")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
