import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox, Radio } from "../../ui/choice.tsx";
import { Section } from "../../ui/section.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { DevicePicker } from "../devices/device-picker.tsx";
import type { UplinkDraft } from "./uplink-form.ts";

interface Props {
  readonly draft: UplinkDraft;
  readonly onChange: (changes: Partial<UplinkDraft>) => void;
  readonly isNew: boolean;
}

const CONTENT = ["telemetry", "attributes", "alarms", "devices"] as const;
const LISTS = ["deviceTypes", "deviceTags", "keys"] as const;

/** What an uplink sends. */
export function ContentFields({ draft, onChange, isNew }: Props) {
  const { content, deviceIds } = draft;
  return (
    <Section id="uplink-content" title={t("uplink.content")}>
      <div class="flex flex-wrap gap-x-6 gap-y-2">
        {CONTENT.map((name) => (
          <Checkbox
            key={name}
            checked={content[name]}
            onCheck={(on) => onChange({ content: { ...content, [name]: on } })}
          >
            {t(`uplinkContent.${name}`)}
          </Checkbox>
        ))}
      </div>
      {isNew && (
        <fieldset class="flex flex-col gap-2">
          <legend class="mb-2 text-sm font-medium">{t("uplink.start")}</legend>
          {(["NOW", "BEGINNING"] as const).map((start) => (
            <Radio
              key={start}
              name="start"
              checked={draft.start === start}
              hint={t(`uplinkStartHint.${start}`)}
              onChange={() => onChange({ start })}
            >
              {t(`uplinkStart.${start}`)}
            </Radio>
          ))}
        </fieldset>
      )}
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-2 text-sm font-medium">{t("uplink.devices")}</legend>
        <Radio
          name="devices"
          checked={deviceIds === undefined}
          onChange={() => onChange({ deviceIds: undefined })}
        >
          {t("uplink.allDevices")}
        </Radio>
        <Radio name="devices" checked={deviceIds !== undefined} onChange={() => onChange({ deviceIds: [] })}>
          {t("uplink.someDevices")}
        </Radio>
        {deviceIds && (
          <DevicePicker selected={deviceIds} onChange={(selected) => onChange({ deviceIds: selected })} />
        )}
        {deviceIds?.length === 0 && <p class="text-sm text-warning">{t("uplink.noDeviceSelected")}</p>}
      </fieldset>
      <div class="grid gap-4 sm:grid-cols-3">
        {LISTS.map((name) => (
          <TextField
            key={name}
            label={t(`uplink.${name}`)}
            hint={t(`uplinkHint.${name}`)}
            value={draft[name]}
            onText={(text) => onChange({ [name]: text })}
          />
        ))}
      </div>
    </Section>
  );
}
