import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { Checkbox } from "../../ui/form/choice.tsx";
import { CommaList } from "../../ui/form/comma-list.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";

const schema = formSchema("devices/devices.schemas.ts", "createDeviceBody");
const reading = { autocapitalize: "off", class: "input reading w-full" } as const;

const GatewayBox = ({ label, hint, value, onChange }: ControlProps) => (
  <Checkbox
    checked={value === "GATEWAY"}
    hint={hint}
    onCheck={(isGateway) => onChange(isGateway ? "GATEWAY" : "DEVICE")}
  >
    {label}
  </Checkbox>
);

export const newDeviceForm: FormDefinition = {
  schema,
  texts: ["newDevice", "device"],
  isSparse: true,
  fields: [
    { path: "name", input: { autofocus: true } },
    { path: "deviceType", text: "type", isRequired: true, input: { list: "device-types" } },
    "label",
    { path: "childName", when: ({ parentDeviceId }) => parentDeviceId !== undefined, input: reading },
    { path: "role", when: ({ parentDeviceId }) => parentDeviceId === undefined, control: GatewayBox },
  ],
};

const changeSchema = formSchema("devices/devices.schemas.ts", "updateDeviceBody");

export const deviceForm: FormDefinition = {
  schema: changeSchema,
  texts: ["device"],
  fields: [
    { path: "name", isRequired: true },
    [{ path: "deviceType", text: "type" }, "label"],
    [
      { path: "tags", control: CommaList },
      { path: "assetId", text: "asset", input: { list: "known-assets" } },
    ],
    [
      { path: "inactivityTimeoutMs", scale: 1 / 60_000 },
      { path: "profileId", isRequired: true },
    ],
    { path: "role", when: ({ role }) => role !== undefined, control: GatewayBox },
  ],
};

export const childNameForm: FormDefinition = {
  schema: changeSchema,
  texts: ["device"],
  fields: [{ path: "childName", input: reading }],
};

export const claimForm: FormDefinition = {
  schema: formSchema("provisioning/claiming.schemas.ts", "claimDeviceBody"),
  texts: ["claim"],
  fields: [
    { path: "deviceName", input: { autofocus: true, autocapitalize: "off", spellcheck: false } },
    {
      path: "secretKey",
      text: "code",
      input: { autocomplete: "off", autocapitalize: "off", spellcheck: false, class: "input reading w-full" },
    },
  ],
};
