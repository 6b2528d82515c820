import { useState } from "preact/hooks";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { Chips } from "../../ui/form/chips.tsx";
import { KnownAssets } from "../devices/known-assets.tsx";

interface Props {
  readonly selected: readonly string[];
  readonly onChange: (assetIds: string[]) => void;
}

/** Suggests the assets that devices name; others can be typed, for future devices. */
export function AssetPicker({ selected, onChange }: Props) {
  const [text, setText] = useState("");
  const add = () => {
    const assetId = text.trim();
    if (assetId !== "" && !selected.includes(assetId)) onChange([...selected, assetId]);
    setText("");
  };
  return (
    <div class="flex flex-col gap-2">
      <div class="flex gap-2">
        <input
          class="input input-sm w-full"
          list="known-assets"
          maxLength={maxLengthOf("devices/devices.schemas.ts", "createDeviceBody", "assetId")}
          value={text}
          aria-label={t("access.asset")}
          placeholder={t("access.assetExample")}
          onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== "Enter") return;
            e.preventDefault();
            add();
          }}
        />
        <button type="button" class="btn btn-sm" disabled={text.trim() === ""} onClick={add}>
          {t("access.addAsset")}
        </button>
      </div>
      <KnownAssets />
      <Chips
        label={t("access.selectedAssets")}
        items={selected.map((id) => ({ id, text: id }))}
        more={(count) => t("access.more", { count })}
        removeLabel={(name) => t("common.removeName", { name })}
        onRemove={(id) => onChange(selected.filter((assetId) => assetId !== id))}
      />
    </div>
  );
}
