import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import type { MqttClient } from "./mqtt-clients-api.ts";

const schema = formSchema("mqtt-clients/mqtt-clients.schemas.ts", "createMqttClientBody");
const signsInBy =
  (signIn: MqttClient["signIn"]) =>
  (values: FormValues): boolean =>
    values.signIn === signIn;

export const credentialsForm: FormDefinition = {
  schema,
  texts: ["mqttClient"],
  fields: [
    "name",
    "signIn",
    {
      path: "username",
      when: signsInBy("PASSWORD"),
      isRequired: true,
      input: { autocomplete: "off" },
    },
    {
      path: "password",
      when: signsInBy("PASSWORD"),
      input: { type: "password", autocomplete: "new-password" },
    },
    {
      path: "certificate",
      when: signsInBy("CERTIFICATE"),
      rows: 4,
      input: { placeholder: "-----BEGIN CERTIFICATE-----" },
    },
    { path: "apiKeyId", when: signsInBy("API_KEY"), isRequired: true },
  ],
};

/** Form of the rights of a client. */
export const rightsForm: FormDefinition = {
  schema,
  texts: ["mqttClient"],
  fields: [
    { path: "publish", rows: 3, input: { placeholder: "plant/line-1/#" } },
    { path: "subscribe", rows: 3, input: { placeholder: "plant/#" } },
    "messagesPerSecond",
    "enabled",
  ],
};

export const clientForm: FormDefinition = {
  ...credentialsForm,
  fields: [...credentialsForm.fields, ...rightsForm.fields],
};

export const newClient: FormValues = {
  name: "",
  signIn: "PASSWORD",
  publish: [],
  subscribe: [],
  enabled: true,
};

/** Returns the body of the request without an empty password or certificate and without an unchanged kind of sign-in, so that they are kept. */
export function clientInput(
  { fingerprint: _, ...body }: FormValues,
  before: MqttClient | undefined,
): FormValues {
  const isSame = ([name, value]: [string, unknown]) =>
    value === "" || (name === "signIn" && value === before?.signIn);
  return Object.fromEntries(Object.entries(body).filter((entry) => !isSame(entry)));
}
