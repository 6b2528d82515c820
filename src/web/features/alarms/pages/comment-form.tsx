import { useState } from "preact/hooks";
import { maxLengthOf } from "../../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../../platform/i18n/i18n.ts";
import { SubmitButton } from "../../../ui/form/submit-button.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { ErrorNote } from "../../../ui/page/error-note.tsx";

/** A comment on one alarm or on many. */
export function CommentForm({ onSave }: { onSave: (text: string) => Promise<void> }) {
  const [text, setText] = useState("");
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    if (text.trim() === "") return;
    action.run(async () => {
      await onSave(text.trim());
      setText("");
    });
  };
  return (
    <form class="flex flex-col gap-2" onSubmit={submit}>
      <textarea
        class="textarea w-full"
        rows={2}
        maxLength={maxLengthOf("alarms/alarms.schemas.ts", "commentBody", "message")}
        aria-label={t("alarms.comment")}
        placeholder={t("alarms.comment")}
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
      />
      <ErrorNote error={action.error} />
      <div>
        <SubmitButton busy={action.busy}>{t("alarms.saveComment")}</SubmitButton>
      </div>
    </form>
  );
}
