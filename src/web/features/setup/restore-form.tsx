import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/form/field.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { type RestoreProgress, restoreArchive } from "./restore-archive.ts";

export function RestoreForm(props: { setupToken: string; onDone: () => void; onBack: () => void }) {
  const action = useAction();
  const [progress, setProgress] = useState<RestoreProgress>();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const file = data.get("file");
    if (!(file instanceof File)) return;
    const request = { link: props.setupToken, file, passphrase: String(data.get("passphrase") ?? "") };
    action.run(async () => {
      try {
        await restoreArchive(request, setProgress);
        props.onDone();
      } finally {
        setProgress(undefined);
      }
    });
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <p class="text-soft">{t("setup.restoreIntro")}</p>
      <Field label={t("setup.restoreFile")} hint={t("setup.restoreFileHint")}>
        <input
          class="file-input w-full"
          type="file"
          name="file"
          accept=".backup"
          required
          disabled={action.busy}
        />
      </Field>
      <TextField
        label={t("common.passphrase")}
        hint={t("setup.restorePassphraseHint")}
        name="passphrase"
        type="password"
        autocomplete="off"
        disabled={action.busy}
      />
      {progress && <Progress {...progress} />}
      <ErrorNote error={action.error} />
      <SubmitButton busy={action.busy}>{t("common.restore")}</SubmitButton>
      <button type="button" class="btn btn-ghost" disabled={action.busy} onClick={props.onBack}>
        {t("setup.restoreBack")}
      </button>
    </form>
  );
}

function Progress({ step, share }: RestoreProgress) {
  const percent = Math.floor(share * 100);
  return (
    <div class="flex flex-col gap-1.5">
      <progress
        class="progress progress-primary w-full"
        {...(step !== "restarting" && { value: percent })}
        max={100}
        aria-labelledby="restore-progress"
      />
      <p id="restore-progress" class="text-sm" role="status">
        {t(`setup.restore.${step}`, { percent })}
      </p>
    </div>
  );
}
