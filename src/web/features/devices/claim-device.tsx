import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { devicesApi } from "./devices-api.ts";

/** Claims a device with the code on its sticker and opens its page. */
export function ClaimDevice({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const text = (name: string) => String(data.get(name)).trim();
    action.run(async () => {
      const device = await devicesApi.claim({ deviceName: text("name"), secretKey: text("secretKey") });
      toast("success", t("claim.done", { name: device.name }));
      route(`/devices/${device.deviceId}`);
    });
  };
  return (
    <Dialog title={t("common.claimDevice")} onClose={onClose}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <p class="text-soft">{t("claim.hint")}</p>
        <TextField
          label={t("claim.name")}
          name="name"
          required
          maxLength={256}
          autofocus
          autocapitalize="off"
          spellcheck={false}
        />
        <TextField
          label={t("common.code")}
          name="secretKey"
          required
          minLength={6}
          maxLength={128}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          class="input reading w-full"
        />
        <ErrorNote error={action.error} />
        <FormButtons busy={action.busy} onCancel={onClose}>
          {t("common.claimDevice")}
        </FormButtons>
      </form>
    </Dialog>
  );
}
