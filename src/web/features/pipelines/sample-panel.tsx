import { useEffect, useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { errorText } from "../../ui/page/error-text.ts";
import { useDeviceSearch } from "../devices/use-device-search.ts";
import type { PipelineScope } from "./pipelines-api.ts";
import { newestMessage, parseMessage, type Sample } from "./sample.ts";

const FOUND_MAX = 100;
const FIRST_MESSAGE = '{\n  "temperature": 21.5\n}';

function isMeant(device: DeviceRow, { deviceIds, deviceTypes, profileIds }: PipelineScope): boolean {
  return (
    (deviceIds?.includes(device.deviceId) ?? true) &&
    (deviceTypes?.includes(device.deviceType ?? "") ?? true) &&
    (profileIds?.includes(device.profileId ?? "") ?? true)
  );
}

/** Selects the message for testing steps: the newest of a device, or a typed one. */
export function SamplePanel({
  scope,
  onSample,
}: {
  scope: PipelineScope;
  onSample: (sample: Sample | undefined) => void;
}) {
  const [search, setSearch] = useState("");
  const [device, setDevice] = useState<DeviceRow | undefined>(undefined);
  const [text, setText] = useState("");
  const [context, setContext] = useState<Pick<Sample, "context" | "ts">>({});
  const [note, setNote] = useState("");
  const rows = useDeviceSearch(search, FOUND_MAX);
  const found = rows?.filter((row) => isMeant(row, scope));
  const write = (written: string, around: Pick<Sample, "context" | "ts">) => {
    setText(written);
    setContext(around);
    const telemetry = parseMessage(written);
    onSample(telemetry && { telemetry, ...around });
  };
  const take = async (selectedItem: DeviceRow) => {
    setDevice(selectedItem);
    try {
      const { telemetry, isRaw, ...around } = await newestMessage(selectedItem);
      const isNew = Object.keys(telemetry).length === 0;
      const { name } = selectedItem;
      const taken = isRaw ? t("sample.taken", { name }) : t("sample.takenStored", { name });
      setNote(isNew ? t("sample.nothing", { name }) : taken);
      write(isNew ? FIRST_MESSAGE : JSON.stringify(telemetry, null, 2), around);
    } catch (error) {
      setNote(errorText(error));
    }
  };
  useEffect(() => {
    if (rows === undefined || device || text !== "") return;
    const [first] = found ?? [];
    if (first) take(first);
    else write(FIRST_MESSAGE, {});
  }, [rows]);
  return (
    <section class="panel flex flex-col gap-4 p-4" aria-label={t("sample.title")}>
      <h2 class="font-semibold">{t("sample.title")}</h2>
      {(search !== "" || (rows?.length ?? 0) >= FOUND_MAX) && (
        <input
          type="search"
          class="input input-sm w-full"
          placeholder={t("sample.find")}
          aria-label={t("sample.find")}
          value={search}
          onInput={(e) => setSearch(e.currentTarget.value)}
        />
      )}
      <div class="flex items-end gap-2">
        <div class="min-w-0 flex-1">
          <SelectField
            label={t("common.device")}
            value={device?.deviceId ?? ""}
            options={(found ?? []).map(({ deviceId, name }) => [deviceId, name] as const)}
            none={t("sample.select")}
            onSelect={(chosen) => {
              const selectedItem = found?.find(({ deviceId }) => deviceId === chosen);
              if (selectedItem) take(selectedItem);
            }}
          />
        </div>
      </div>
      {device && (
        <div class="flex flex-col items-start gap-2">
          <button type="button" class="btn btn-sm" onClick={() => take(device)}>
            {t("sample.take")}
          </button>
          <p class="text-sm text-soft" role="status">
            {note}
          </p>
        </div>
      )}
      <TextAreaField
        label={t("sample.message")}
        error={text !== "" && parseMessage(text) === undefined ? t("sample.notObject") : undefined}
        rows={8}
        spellcheck={false}
        value={text}
        onText={(text) => write(text, context)}
      />
    </section>
  );
}
