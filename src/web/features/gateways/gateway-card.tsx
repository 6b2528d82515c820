import type { DeviceDetail } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { SchemaForm } from "../../ui/form/schema-form.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { childNameForm } from "../devices/device-form.tsx";
import { nameOf } from "../devices/device-names.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { detachDevice } from "./detach-device.ts";

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
  return (
    <>
      <a class="link self-start font-medium" href={`/devices/${device.parentDeviceId}/children`}>
        {nameOf(device.parentDeviceId ?? "")}
      </a>
      <SchemaForm
        form={childNameForm}
        initial={{ childName: device.childName ?? null }}
        isDisabled={!mayWrite.value}
        buttons={
          <button type="button" class="btn" onClick={() => detachDevice(device, onChanged)}>
            {t("children.detach")}
          </button>
        }
        onSave={async (body) => {
          await devicesApi.update(device.deviceId, body);
          onChanged();
          toast("success", t("settings.saved"));
        }}
      />
    </>
  );
}

function Free({ device, onChanged }: Props) {
  const gateways = useResource(
    () => devicesApi.list({ limit: GATEWAYS_MAX, offset: 0, role: "GATEWAY", sort: "name" }),
    [],
  );
  const action = useAction();
  const submit = (form: HTMLFormElement) => {
    const parentDeviceId = String(new FormData(form).get("gateway"));
    if (parentDeviceId === "") return;
    action.run(async () => {
      await devicesApi.update(device.deviceId, { parentDeviceId });
      onChanged();
      toast("success", t("settings.saved"));
    });
  };
  if (!mayWrite.value || gateways.data?.rows.length === 0) return <p>{t("child.none")}</p>;
  return (
    <SectionForm {...action} submitText={t("children.attachGo")} onSubmit={submit}>
      <SelectField
        label={t("common.gateway")}
        name="gateway"
        disabled={gateways.data === undefined}
        options={(gateways.data?.rows ?? []).map(({ deviceId, name }) => [deviceId, name] as const)}
        none={t("child.none")}
      />
    </SectionForm>
  );
}
