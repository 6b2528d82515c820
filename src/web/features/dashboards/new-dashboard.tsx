import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useAction } from "../../ui/use-form.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { type Dashboard, dashboardsApi } from "./dashboards-api.ts";

/** An empty one, or one made of what a type of devices sends. */
export function NewDashboard({ onClose }: { onClose: (made: Dashboard | undefined) => void }) {
  const types = useResource(devicesApi.types, []);
  const [name, setName] = useState("");
  const [deviceType, setDeviceType] = useState<string | undefined>(undefined);
  const chosen = deviceType ?? types.data?.[0]?.deviceType ?? "";
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      const wanted = name.trim() || chosen || t("dashboards.unnamed");
      onClose(
        chosen === ""
          ? await dashboardsApi.create({ name: wanted })
          : await dashboardsApi.forType(chosen, wanted),
      );
    });
  };
  return (
    <Dialog title={t("dashboards.create")} onClose={() => onClose(undefined)} firm>
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <Field label={t("dashboards.name")}>
          <input
            class="input w-full"
            maxLength={256}
            value={name}
            placeholder={chosen}
            autofocus
            onInput={(e) => setName(e.currentTarget.value)}
          />
        </Field>
        <Field label={t("dashboards.beginWith")} hint={t("dashboards.beginWithHint")}>
          <select class="select w-full" value={chosen} onChange={(e) => setDeviceType(e.currentTarget.value)}>
            {(types.data ?? []).map(({ deviceType: type, count }) => (
              <option key={type} value={type}>
                {t("dashboards.typeOption", { type, count })}
              </option>
            ))}
            <option value="">{t("dashboards.empty")}</option>
          </select>
        </Field>
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <div class="mt-2 flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={() => onClose(undefined)}>
            {t("common.cancel")}
          </button>
          <SubmitButton busy={action.busy}>{t("dashboards.create")}</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}
