import { t } from "../../platform/i18n/i18n.ts";
import { Radio } from "../../ui/choice.tsx";
import { DevicePicker } from "../devices/device-picker.tsx";
import { AssetPicker } from "./asset-picker.tsx";
import type { Access } from "./users-types.ts";

interface Props {
  readonly access: Access;
  readonly onChange: (access: Access) => void;
  /** True if the fields are a section of their own. */
  readonly isSection?: boolean;
}

function Choice(props: { checked: boolean; text: string; hint: string; onSelect: () => void }) {
  return (
    <Radio name="access" checked={props.checked} onChange={props.onSelect} hint={props.hint}>
      {props.text}
    </Radio>
  );
}

/** Every device, or those chosen by name and by the asset that they belong to. */
export function AccessFields({ access, onChange, isSection = false }: Props) {
  const change = (changes: Partial<Access>) => onChange({ ...access, ...changes });
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class={isSection ? "mb-3 font-semibold" : "mb-2 text-sm font-medium"}>
        {t("access.title")}
      </legend>
      <Choice
        checked={access.hasGlobalDeviceAccess}
        text={t("common.allDevices")}
        hint={t("access.allHint")}
        onSelect={() => change({ hasGlobalDeviceAccess: true })}
      />
      <Choice
        checked={!access.hasGlobalDeviceAccess}
        text={t("access.some")}
        hint={t("access.someHint")}
        onSelect={() => change({ hasGlobalDeviceAccess: false })}
      />
      {!access.hasGlobalDeviceAccess && (
        <div class="flex flex-col gap-4 border-l-2 border-base-300 pl-4">
          <div class="flex flex-col gap-2">
            <p class="text-sm font-medium">{t("common.devices")}</p>
            <DevicePicker selected={access.deviceIds} onChange={(deviceIds) => change({ deviceIds })} />
          </div>
          <div class="flex flex-col gap-2">
            <p class="text-sm font-medium">{t("access.assets")}</p>
            <label class="flex cursor-pointer items-start gap-3">
              <input
                type="checkbox"
                class="checkbox checkbox-sm mt-0.5"
                checked={access.hasGlobalAssetAccess}
                onChange={(e) => change({ hasGlobalAssetAccess: e.currentTarget.checked })}
              />
              {t("access.allAssets")}
            </label>
            {!access.hasGlobalAssetAccess && (
              <AssetPicker selected={access.assetIds} onChange={(assetIds) => change({ assetIds })} />
            )}
          </div>
        </div>
      )}
    </fieldset>
  );
}
