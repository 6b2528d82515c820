import { useState } from "preact/hooks";
import type { DeviceDetail } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { nameOf } from "../devices/device-names.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { DetachDevice } from "./detach-device.tsx";

const GATEWAYS_MAX = 1_000;

interface Props {
  readonly device: DeviceDetail;
  readonly onChanged: () => void;
}

/** Card with the gateway of a device, and the name that the gateway uses for the device. */
export function GatewayCard({ device, onChanged }: Props) {
  return (
    <section class="panel flex flex-col gap-4 p-4">
      <div>
        <h2 class="font-semibold">{t("child.title")}</h2>
        <p class="text-sm text-soft">{t("child.hint")}</p>
      </div>
      {device.parentDeviceId ? (
        <Behind key={`${device.parentDeviceId} ${device.childName}`} device={device} onChanged={onChanged} />
      ) : (
        <Free device={device} onChanged={onChanged} />
      )}
    </section>
  );
}

function Behind({ device, onChanged }: Props) {
  const [detaching, setDetaching] = useState(false);
  const action = useAction(["childName"]);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const childName = String(new FormData(e.currentTarget).get("childName")).trim();
    action.run(async () => {
      await devicesApi.update(device.deviceId, { childName: childName === "" ? null : childName });
      onChanged();
      toast("success", t("settings.saved"));
    });
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <a class="link self-start font-medium" href={`/devices/${device.parentDeviceId}/children`}>
        {nameOf(device.parentDeviceId ?? "")}
      </a>
      <TextField
        label={t("children.calledBy")}
        hint={t("child.nameHint")}
        error={action.errorOf("childName")}
        name="childName"
        maxLength={256}
        placeholder={device.name}
        defaultValue={device.childName ?? ""}
        disabled={!mayWrite.value}
        class="input reading w-full"
      />
      <ErrorNote error={action.error} />
      {mayWrite.value && (
        <div class="flex justify-end gap-2">
          <button type="button" class="btn" onClick={() => setDetaching(true)}>
            {t("children.detach")}
          </button>
          <SubmitButton busy={action.busy}>{t("child.saveName")}</SubmitButton>
        </div>
      )}
      {detaching && <DetachDevice device={device} onClose={() => setDetaching(false)} onDone={onChanged} />}
    </form>
  );
}

function Free({ device, onChanged }: Props) {
  const gateways = useResource(
    () => devicesApi.list({ limit: GATEWAYS_MAX, offset: 0, role: "GATEWAY", sort: "name" }),
    [],
  );
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const parentDeviceId = String(new FormData(e.currentTarget).get("gateway"));
    if (parentDeviceId === "") return;
    action.run(async () => {
      await devicesApi.update(device.deviceId, { parentDeviceId });
      onChanged();
      toast("success", t("settings.saved"));
    });
  };
  if (!mayWrite.value || gateways.data?.rows.length === 0) return <p>{t("child.none")}</p>;
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <SelectField
        label={t("common.gateway")}
        name="gateway"
        disabled={gateways.data === undefined}
        options={(gateways.data?.rows ?? []).map(({ deviceId, name }) => [deviceId, name] as const)}
        none={t("child.none")}
      />
      <ErrorNote error={action.error} />
      <div class="flex justify-end">
        <SubmitButton busy={action.busy}>{t("children.attachGo")}</SubmitButton>
      </div>
    </form>
  );
}
