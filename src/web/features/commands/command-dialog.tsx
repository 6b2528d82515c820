import { useState } from "preact/hooks";
import { parseEditorText } from "../../lib/attribute-value.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
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
        <TextField
          label={t("common.method")}
          hint={t("commands.methodHint")}
          name="method"
          required
          maxLength={256}
          autocapitalize="off"
          autofocus
          class="input reading w-full"
        />
        <Field label={t("commands.params")} error={wrong ? t("attributes.notJson") : undefined}>
          <textarea class="textarea reading w-full" name="params" rows={5} spellcheck={false}>
            {"{}"}
          </textarea>
        </Field>
        <TextField
          label={t("commands.retries")}
          hint={t("commands.retriesHint")}
          name="retries"
          type="number"
          min={0}
          max={100}
          value="0"
          required
          class="input w-28"
        />
        <FormButtons busy={action.busy} error={action.error} onCancel={props.onClose}>
          {t("commands.sendGo")}
        </FormButtons>
      </form>
    </Dialog>
  );
}
