import type { ComponentChildren } from "preact";
import { t } from "../../platform/i18n/i18n.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import type { useAction } from "../../ui/use-form.ts";
import type { TellingSettings } from "./notifications-api.ts";

export type FormEvent = SubmitEvent & { currentTarget: HTMLFormElement };

export interface SettingsProps {
  readonly settings: TellingSettings;
  readonly onSaved: (settings: TellingSettings) => void;
}

export function Panel(props: { id: string; title: string; hint?: string; children: ComponentChildren }) {
  return (
    <section class="panel flex flex-col gap-4 p-4 sm:p-5" aria-labelledby={props.id}>
      <div>
        <h2 id={props.id} class="font-semibold">
          {props.title}
        </h2>
        {props.hint && <p class="text-sm text-soft">{props.hint}</p>}
      </div>
      {props.children}
    </section>
  );
}

export function Save({ action }: { action: ReturnType<typeof useAction> }) {
  return (
    <>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <div class="flex justify-end">
        <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
      </div>
    </>
  );
}
