import { useState } from "preact/hooks";
import { ownAddress } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Radio } from "../../ui/form/choice.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Copyable } from "../../ui/shown-once.tsx";
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
  const loaded = useKept(() => profilesApi.provisioning(profileId), [profileId]);
  /** The selected mode, until the gateway has accepted it. */
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
        <Loaded of={loaded}>
          {({ mode, key, secret }) => (
            <>
              <fieldset class="flex flex-col gap-3">
                <legend class="mb-2 font-semibold">{t("provisioning.mode")}</legend>
                {MODES.map((id) => (
                  <Radio
                    key={id}
                    name="mode"
                    checked={(selected ?? mode) === id}
                    onChange={() => select(id)}
                    hint={t(`provisioningHint.${id}`)}
                  >
                    {t(`provisioningMode.${id}`)}
                  </Radio>
                ))}
              </fieldset>
              {key !== undefined && secret !== undefined && mode !== "DISABLED" && (
                <>
                  <Secrets claimKey={key} secret={secret} />
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
            </>
          )}
        </Loaded>
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
      <Copyable name={t("common.key")} text={claimKey} copyText={t("common.copyKey")} />
      <Copyable name={t("provisioning.secret")} text={secret} copyText={t("common.copySecret")} />
      <Copyable name={t("provisioning.example")} text={example} copyText={t("common.copyExample")} />
    </div>
  );
}
