import { t } from "../../platform/i18n/i18n.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import type { useAction } from "../../ui/use-form.ts";
import type { NotificationSettings } from "./notifications-api.ts";

export type FormEvent = SubmitEvent & { currentTarget: HTMLFormElement };

export interface SettingsProps {
  readonly settings: NotificationSettings;
  readonly onSaved: (settings: NotificationSettings) => void;
}

export function Save({ action }: { action: ReturnType<typeof useAction> }) {
  return (
    <>
      <ErrorNote error={action.error} />
      <div class="flex justify-end">
        <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
      </div>
    </>
  );
}
