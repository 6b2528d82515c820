import { useState } from "preact/hooks";
import { parseEditorText } from "../../lib/attribute-value.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useAction } from "../../ui/use-form.ts";
import { commandsApi } from "./commands-api.ts";

/** Asks for a command and sends it. */
export function CommandDialog(props: { deviceId: string; onClose: () => void; onDone: () => void }) {
  const [wrong, setWrong] = useState(false);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const form = new FormData(e.currentTarget);
    const text = String(form.get("params")).trim();
    const params = text === "" ? {} : parseEditorText(text, "json");
    setWrong(params === undefined);
    if (params === undefined) return;
    action.run(async () => {
      const method = String(form.get("method")).trim();
      await commandsApi.send(props.deviceId, { method, params, retries: Number(form.get("retries")) });
      toast("success", t("commands.sent"));
      props.onDone();
    });
  };
  return (
    <Dialog title={t("commands.send")} onClose={props.onClose}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <Field label={t("commands.method")} hint={t("commands.methodHint")}>
          <input
            class="input reading w-full"
            name="method"
            required
            maxLength={256}
            autocapitalize="off"
            autofocus
          />
        </Field>
        <Field label={t("commands.params")} error={wrong ? t("attributes.notJson") : undefined}>
          <textarea class="textarea reading w-full" name="params" rows={5} spellcheck={false}>
            {"{}"}
          </textarea>
        </Field>
        <Field label={t("commands.retries")} hint={t("commands.retriesHint")}>
          <input class="input w-28" name="retries" type="number" min={0} max={100} value="0" required />
        </Field>
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <div class="mt-2 flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={props.onClose}>
            {t("common.cancel")}
          </button>
          <SubmitButton busy={action.busy}>{t("commands.sendGo")}</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}
