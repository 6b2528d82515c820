import { useState } from "preact/hooks";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { ApiError } from "../../platform/api-client.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { Radio } from "../../ui/form/choice.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { errorText } from "../../ui/page/error-text.ts";
import { DeviceSearch } from "../devices/device-search.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import { useDeviceSearch } from "../devices/use-device-search.ts";

const FOUND_MAX = 50;

/** Device of a unit: an existing one, or one to create. */
export type DeviceDraft =
  | { readonly kind: "existing"; readonly deviceId: string | undefined }
  | { readonly kind: "new"; readonly name: string; readonly deviceType: string };

export const firstDevice = (deviceType: string, name = ""): DeviceDraft =>
  may("devices:write") ? { kind: "new", name, deviceType } : { kind: "existing", deviceId: undefined };

/** Returns the device, with this name if it is a new one without a name. */
export const namedDevice = (device: DeviceDraft, name: string): DeviceDraft =>
  device.kind === "new" && device.name === "" ? { ...device, name } : device;

/** Returns the text of a refusal of the device. */
export const deviceProblem = (error: unknown): string | undefined =>
  error instanceof ApiError &&
  /^((modbus|s7|bacnet|opcua)\.device_taken|device\.)/.test(error.text?.code ?? "")
    ? errorText(error)
    : undefined;

/** Returns the id of the device, after creating a new one. A second attempt uses the device of the first. */
export async function deviceIdOf(
  device: DeviceDraft,
  onCreated: (device: DeviceDraft) => void,
): Promise<string> {
  if (device.kind === "existing") return device.deviceId ?? "";
  const { name, deviceType } = device;
  const created = await devicesApi.create({
    name: name.trim(),
    deviceType: deviceType.trim(),
    role: "DEVICE",
  });
  onCreated({ kind: "existing", deviceId: created.deviceId });
  return created.deviceId;
}

interface Props {
  readonly draft: DeviceDraft;
  /** For a new device. */
  readonly deviceType: string;
  readonly error: string | undefined;
  readonly onChange: (draft: DeviceDraft) => void;
}

export function DeviceChoice({ draft, deviceType: firstType, error, onChange }: Props) {
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class="mb-2 text-sm font-medium">{t("fieldConnection.device")}</legend>
      {may("devices:write") && (
        <div class="flex flex-wrap gap-x-6 gap-y-2">
          <Radio
            name="device-kind"
            checked={draft.kind === "new"}
            onChange={() => onChange(firstDevice(firstType))}
          >
            {t("devices.create")}
          </Radio>
          <Radio
            name="device-kind"
            checked={draft.kind === "existing"}
            onChange={() => onChange({ kind: "existing", deviceId: undefined })}
          >
            {t("fieldConnection.existingDevice")}
          </Radio>
        </div>
      )}
      {draft.kind === "new" ? (
        <div class="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t("common.name")}
            error={error}
            required
            maxLength={maxLengthOf("devices/devices.schemas.ts", "createDeviceBody", "name")}
            pattern=".*\S.*"
            value={draft.name}
            onText={(name) => onChange({ ...draft, name })}
          />
          <TextField
            label={t("common.type")}
            required
            maxLength={maxLengthOf("devices/devices.schemas.ts", "createDeviceBody", "deviceType")}
            pattern=".*\S.*"
            value={draft.deviceType}
            onText={(deviceType) => onChange({ ...draft, deviceType })}
          />
        </div>
      ) : (
        <ExistingDevice
          selected={draft.deviceId}
          onSelect={(deviceId) => onChange({ kind: "existing", deviceId })}
        />
      )}
      {draft.kind === "existing" && error && (
        <p role="alert" class="text-sm text-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function ExistingDevice(props: { selected: string | undefined; onSelect: (deviceId: string) => void }) {
  const [text, setText] = useState("");
  const devices = useDeviceSearch(text, FOUND_MAX);
  return (
    <>
      <DeviceSearch text={text} onText={setText} />
      {devices?.length === 0 && <p class="text-sm text-soft">{t("common.noDeviceMatches")}</p>}
      {devices && devices.length > 0 && (
        <div class="flex max-h-48 flex-col gap-2 overflow-y-auto rounded-field border border-base-300 p-3">
          {devices.map((device) => (
            <Radio
              key={device.deviceId}
              name="device"
              checked={device.deviceId === props.selected}
              onChange={() => props.onSelect(device.deviceId)}
            >
              <span class="min-w-0 truncate">{device.name}</span>
            </Radio>
          ))}
        </div>
      )}
    </>
  );
}
