import { useLocation } from "preact-iso";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { SchemaDialog } from "../../ui/form/schema-form.tsx";
import { claimForm, newDeviceForm } from "./device-form.tsx";
import { type ClaimForm, devicesApi } from "./devices-api.ts";

export interface CreateDeviceProps {
  readonly onClose: () => void;
  /** Gateway of the new device. */
  readonly gateway?: { readonly deviceId: string };
}

/** Creates a device and opens its Connect tab. A child of a gateway joins the list of children. */
export function CreateDeviceDialog({ onClose, gateway }: CreateDeviceProps) {
  const { route, query } = useLocation();
  const types = useResource(devicesApi.types, []);
  return (
    <SchemaDialog
      title={gateway ? t("children.create") : t("devices.create")}
      form={newDeviceForm}
      initial={{
        deviceType: "sensor",
        // In the list of gateways a new one is a gateway.
        role: gateway === undefined && query.role === "GATEWAY" ? "GATEWAY" : "DEVICE",
        ...(gateway && { parentDeviceId: gateway.deviceId }),
      }}
      submitText={gateway ? t("children.createGo") : t("devices.createGo")}
      onSave={async (body) => {
        const device = await devicesApi.create(body as Parameters<typeof devicesApi.create>[0]); // the API checks it
        if (gateway === undefined) return route(`/devices/${device.deviceId}/connect`);
        toast("success", t("children.created", { name: device.name }));
        onClose();
      }}
      onClose={onClose}
    >
      <datalist id="device-types">
        {types.data?.map(({ deviceType }) => (
          <option key={deviceType} value={deviceType} />
        ))}
      </datalist>
    </SchemaDialog>
  );
}

/** Claims a device with the code on its sticker and opens its page. */
export function ClaimDeviceDialog({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const claim = async (body: FormValues) => {
    const device = await devicesApi.claim(body as ClaimForm); // fields of the form
    toast("success", t("claim.done", { name: device.name }));
    route(`/devices/${device.deviceId}`);
  };
  return (
    <SchemaDialog
      title={t("common.claimDevice")}
      submitText={t("common.claimDevice")}
      form={claimForm}
      initial={{}}
      onSave={claim}
      onClose={onClose}
    >
      <p class="order-first text-soft">{t("claim.hint")}</p>
    </SchemaDialog>
  );
}
