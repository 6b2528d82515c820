import { useState } from "preact/hooks";
import { ownAddress } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Radio } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import {
  MODES,
  type Profile,
  type Provisioning,
  type ProvisioningMode,
  profilesApi,
} from "./profiles-api.ts";

/** Dialog for the provisioning settings of a profile. */
export function ProvisioningDialog({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const { profileId, name } = profile;
  const loaded = useResource(() => profilesApi.provisioning(profileId), [profileId]);
  const state = useKept(loaded);
  /** Until the gateway has taken it. */
  const [selected, setSelected] = useState<ProvisioningMode | undefined>(undefined);
  const action = useAction();
  const change = (work: () => Promise<Provisioning>, done?: string) =>
    action.run(async () => {
      loaded.set(await work());
      if (done !== undefined) toast("success", done);
    });
  const select = (mode: ProvisioningMode) => {
    setSelected(mode);
    void change(() => profilesApi.setProvisioning(profileId, mode)).finally(() => setSelected(undefined));
  };
  return (
    <Dialog title={t("provisioning.of", { name })} onClose={onClose}>
      <div class="flex flex-col gap-5">
        <p class="text-soft">{t("provisioning.intro")}</p>
        <ErrorNote of={loaded} />
        {state && (
          <fieldset class="flex flex-col gap-3">
            <legend class="mb-2 font-semibold">{t("provisioning.mode")}</legend>
            {MODES.map((mode) => (
              <Radio
                key={mode}
                name="mode"
                checked={(selected ?? state.mode) === mode}
                onChange={() => select(mode)}
                hint={t(`provisioningHint.${mode}`)}
              >
                {t(`provisioningMode.${mode}`)}
              </Radio>
            ))}
          </fieldset>
        )}
        {state?.key !== undefined && state.secret !== undefined && state.mode !== "DISABLED" && (
          <>
            <Secrets claimKey={state.key} secret={state.secret} />
            <div class="flex flex-col gap-1">
              <button
                type="button"
                class="btn btn-sm self-start"
                disabled={action.busy}
                onClick={() =>
                  change(() => profilesApi.rotateProvisioning(profileId), t("provisioning.rotated"))
                }
              >
                {t("provisioning.rotate")}
              </button>
              <p class="text-sm text-soft">{t("provisioning.rotateHint")}</p>
            </div>
          </>
        )}
        <ErrorNote error={action.error} />
        <div class="flex justify-end">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.close")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function Secrets({ claimKey, secret }: { claimKey: string; secret: string }) {
  const body = { deviceName: "Pump 7", provisionDeviceKey: claimKey, provisionDeviceSecret: secret };
  const example = `curl -H 'content-type: application/json' -d '${JSON.stringify(body)}' ${ownAddress()}/api/v1/provision`;
  return (
    <div class="flex flex-col gap-3">
      {(
        [
          [t("common.key"), claimKey, t("common.copyKey")],
          [t("provisioning.secret"), secret, t("common.copySecret")],
          [t("provisioning.example"), example, t("common.copyExample")],
        ] as const
      ).map(([label, text, copy]) => (
        <div key={label} class="flex flex-col gap-2 rounded-field bg-base-200 p-3">
          <div class="flex items-center justify-between gap-3">
            <span class="panel-label">{label}</span>
            <CopyButton text={text} label={copy} />
          </div>
          <code class="reading text-sm break-all">{text}</code>
        </div>
      ))}
    </div>
  );
}
