import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox, Radio } from "../../ui/form/choice.tsx";
import type { ControlProps } from "../../ui/form/form-definition.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { AssetPicker } from "./asset-picker.tsx";
import type { Access } from "./users-types.ts";

/** All devices, or selected devices and assets. */
export function AccessFields({ label, values, setValues }: ControlProps) {
  const access = values as unknown as Access; // types of the schema
  const change = (changes: Partial<Access>) => setValues({ ...values, ...changes });
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class="mb-3 font-semibold">{label}</legend>
      <Radio
        name="access"
        checked={access.hasGlobalDeviceAccess}
        hint={t("access.allHint")}
        onChange={() => change({ hasGlobalDeviceAccess: true })}
      >
        {t("common.allDevices")}
      </Radio>
      <Radio
        name="access"
        checked={!access.hasGlobalDeviceAccess}
        hint={t("access.someHint")}
        onChange={() => change({ hasGlobalDeviceAccess: false })}
      >
        {t("access.some")}
      </Radio>
      {!access.hasGlobalDeviceAccess && (
        <div class="flex flex-col gap-4 border-l-2 border-base-300 pl-4">
          <div class="flex flex-col gap-2">
            <p class="text-sm font-medium">{t("common.devices")}</p>
            <DevicePicker selected={access.deviceIds} onChange={(deviceIds) => change({ deviceIds })} />
          </div>
          <div class="flex flex-col gap-2">
            <p class="text-sm font-medium">{t("access.assets")}</p>
            <Checkbox
              checked={access.hasGlobalAssetAccess}
              onCheck={(hasGlobalAssetAccess) => change({ hasGlobalAssetAccess })}
            >
              {t("access.allAssets")}
            </Checkbox>
            {!access.hasGlobalAssetAccess && (
              <AssetPicker selected={access.assetIds} onChange={(assetIds) => change({ assetIds })} />
            )}
          </div>
        </div>
      )}
    </fieldset>
  );
}
