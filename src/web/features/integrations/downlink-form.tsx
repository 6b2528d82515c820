import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import { Segments } from "../../ui/form/segments.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { DevicePicker } from "../devices/device-picker.tsx";
import type { DownlinkForm } from "./integrations-api.ts";

/** Server attributes by which a network server identifies a device. Others cannot receive a downlink. */
const NETWORK_ATTRIBUTES = "integration.lorawan.dev_eui,integration.external_id";
const KINDS = ["hex", "data", "object"] as const;

const Device = ({ label, value, onChange }: ControlProps) => (
  <fieldset class="flex flex-col gap-2">
    <legend class="mb-1.5 text-sm font-medium">{label}</legend>
    <DevicePicker
      attribute={NETWORK_ATTRIBUTES}
      selected={typeof value === "string" ? [value] : []}
      onChange={(ids) => onChange(ids.at(-1))}
    />
  </fieldset>
);

/** Content in one of three notations. */
function Content({ label, error, values, setValues }: ControlProps) {
  const { kind, content } = values as unknown as DownlinkFields; // as `emptyDownlink` has them
  return (
    <div class="flex flex-col gap-2">
      <Segments
        label={t("downlink.form")}
        items={KINDS.map((id) => ({ id, text: t(`downlink.form.${id}`) }))}
        current={kind}
        onSelect={(selected) => setValues({ ...values, kind: selected })}
      />
      <TextAreaField
        label={label}
        hint={t(`downlink.hint.${kind}`)}
        error={error}
        rows={3}
        required
        spellcheck={false}
        value={content}
        onText={(text) => setValues({ ...values, content: text })}
      />
    </div>
  );
}

export const downlinkForm: FormDefinition = {
  schema: formSchema("downlinks/downlinks.schemas.ts", "downlinkRequestBody"),
  texts: ["downlink", "integration.downlink"],
  fields: [
    { path: "deviceId", text: "device", control: Device },
    {
      path: "devEui",
      when: ({ deviceId }) => deviceId === undefined,
      input: {
        spellcheck: false,
        autocomplete: "off",
        placeholder: "0102030405060708",
        class: "input reading w-full",
      },
    },
    { path: "fPort", input: { class: "input w-28" } },
    { path: "hex", text: "content", control: Content },
    "confirmed",
  ],
};

/** Values of `downlinkForm`: the entered content instead of the fields of the request. */
export interface DownlinkFields extends FormValues {
  readonly deviceId?: string;
  readonly devEui?: string;
  readonly fPort?: number | undefined;
  readonly kind: (typeof KINDS)[number];
  readonly content: string;
  readonly confirmed: boolean;
}

export const emptyDownlink: DownlinkFields = { kind: "hex", content: "", confirmed: false };

type Read = { readonly form: DownlinkForm } | { readonly problem: "device" | "content" };

/** Removes separators between bytes. */
const bytesIn = (text: string): string => text.replace(/0x|[\s:,.-]/gi, "");

function contentOf({
  kind,
  content,
}: DownlinkFields): Pick<DownlinkForm, "hex" | "data" | "object"> | undefined {
  const text = content.trim();
  if (kind === "hex") {
    const hex = bytesIn(text);
    return /^([0-9a-f]{2})+$/i.test(hex) ? { hex: hex.toLowerCase() } : undefined;
  }
  if (kind === "data")
    return /^([\w+/-]{4})*([\w+/-]{2}(==)?|[\w+/-]{3}=?)?$/.test(text) && text !== ""
      ? { data: text }
      : undefined;
  try {
    const object: JsonValue = JSON.parse(text);
    return typeof object === "object" && object !== null ? { object } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns sent content: bytes in hexadecimal, an object as JSON. */
export function contentText(payload: unknown): string {
  const data =
    typeof payload === "object" && payload !== null && "data" in payload ? payload.data : undefined;
  if (typeof data !== "string") return JSON.stringify(payload);
  return [...atob(data)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join(" ");
}

export function asDownlink(fields: DownlinkFields): Read {
  const { deviceId, devEui = "", fPort, confirmed } = fields;
  const eui = bytesIn(devEui).toLowerCase();
  if (deviceId === undefined && !/^[0-9a-f]{16}$/.test(eui)) return { problem: "device" };
  const content = contentOf(fields);
  if (content === undefined) return { problem: "content" };
  return {
    form: {
      ...(deviceId === undefined ? { devEui: eui } : { deviceId }),
      ...(fPort !== undefined && { fPort }),
      confirmed,
      ...content,
    },
  };
}
