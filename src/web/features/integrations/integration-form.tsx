import { useState } from "preact/hooks";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { type FormValues, valueAt, withValue } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox, Radio } from "../../ui/form/choice.tsx";
import type { ControlProps, Fields, FormDefinition } from "../../ui/form/form-definition.ts";
import { sentValues } from "../../ui/form/form-definition.ts";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import type { IntegrationSettings, IntegrationType, SettingsChanges } from "./integrations-api.ts";
import { isLorawan, serverTopics } from "./networks.ts";

export const LOCAL_BROKER = "local:";
const RADIO_PREFIX = "radio_";

const isLocal = (values: FormValues) => valueAt(values, "mqtt.brokerUrl") === LOCAL_BROKER;
const isForeign = (values: FormValues) => !isLocal(values);
const usesMqtt = ({ mqtt }: FormValues) => mqtt !== undefined;

/** The broker of the gateway, or the address of another one. */
function Broker({ label, hint, schema, value, onChange }: ControlProps) {
  const local = value === LOCAL_BROKER;
  return (
    <>
      <Radio
        name="broker"
        checked={local}
        onChange={() => onChange(LOCAL_BROKER)}
        hint={t("integration.localBrokerHint")}
      >
        {t("integration.localBroker")}
      </Radio>
      <Radio name="broker" checked={!local} onChange={() => onChange("")}>
        {t("integration.otherBroker")}
      </Radio>
      {!local && (
        <TextField
          label={label}
          hint={hint}
          required
          maxLength={schema.maxLength}
          spellcheck={false}
          placeholder="mqtt://192.168.1.20:1883"
          value={String(value ?? "")}
          onText={onChange}
        />
      )}
    </>
  );
}

/** Parses topics, one per line. A single topic is a string. */
export function topicsOf(text: string): string | string[] {
  const topics = text.split("\n").flatMap((line) => line.trim() || []);
  return topics.length === 1 ? (topics[0] ?? "") : topics;
}

/** Topics, one per line. */
function Topics({ label, hint, value, onChange }: ControlProps) {
  const [text, setText] = useState(() => [value ?? []].flat().join("\n"));
  return (
    <TextAreaField
      label={label}
      hint={hint}
      rows={Math.max(2, text.split("\n").length)}
      required
      spellcheck={false}
      value={text}
      onText={(lines) => {
        setText(lines);
        onChange(topicsOf(lines));
      }}
    />
  );
}

/** Returns whether a text is a pattern, which has a group, unlike a template. */
const isPattern = (text: string) => text.includes("(") && !text.includes("{device}");

/** Position of the device in the topic: a template, or a pattern. */
function DeviceInTopic({ label, schema, values, setValues }: ControlProps) {
  const shown = valueAt(values, "mqtt.topicTemplate") ?? valueAt(values, "mqtt.topicDeviceRegex");
  return (
    <TextField
      label={label}
      hint={t("integration.topicTemplateHint", { example: "sensors/{device}/up" })}
      maxLength={schema.maxLength}
      spellcheck={false}
      value={String(shown ?? "")}
      onText={(text) => {
        const plain = withValue(values, "mqtt.topicTemplate", isPattern(text) ? undefined : text);
        setValues(withValue(plain, "mqtt.topicDeviceRegex", isPattern(text) ? text : undefined));
      }}
    />
  );
}

/** Creates a check box for one value of the field, which is omitted without it. */
const boxFor = (on: unknown) => (props: ControlProps) => (
  <Checkbox
    checked={props.value === on}
    hint={props.hint}
    onCheck={(isOn) => props.onChange(isOn ? on : undefined)}
  >
    {props.label}
  </Checkbox>
);
const HexBox = boxFor("hex");
const TrustBox = boxFor(false);
const SetBox = boxFor(true);

/** Returns the transport of messages of a network server. */
const wayOf = (type: IntegrationType) =>
  function Way({ label, value, onChange }: ControlProps) {
    return (
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-1.5 text-sm font-medium">{label}</legend>
        <Radio name="way" checked={value === undefined} onChange={() => onChange(undefined)}>
          {t("integration.wayWebhook")}
        </Radio>
        <Radio
          name="way"
          checked={value !== undefined}
          onChange={() => onChange({ brokerUrl: "", topicFilter: topicsOf(serverTopics[type] ?? "") })}
        >
          {t("integration.wayMqtt")}
        </Radio>
      </fieldset>
    );
  };

const KEEPS_HIDDEN = true as const;
const plain = { spellcheck: false, autocomplete: "off" };
const secret = { type: "password", autocomplete: "new-password" };

const brokerFields = (isAnyBody: boolean): Fields => [
  { path: "mqtt.brokerUrl", control: Broker },
  { path: "mqtt.topicFilter", control: Topics },
  { path: "mqtt.topicTemplate", control: DeviceInTopic, when: () => isAnyBody, keepsHidden: KEEPS_HIDDEN },
  { path: "mqtt.attributesTopic", input: plain },
  { path: "mqtt.takeRetained", text: "takeRetained", control: SetBox, when: isLocal },
  [
    { path: "mqtt.credentials.username", when: isForeign, input: plain },
    { path: "mqtt.credentials.password", when: isForeign, input: secret },
  ],
  {
    group: "certificates",
    when: isForeign,
    isFolded: () => true,
    fields: ["ca", "cert", "key"].map((name) => ({ path: `mqtt.credentials.${name}`, rows: 3 })),
  },
  {
    group: "more",
    when: isForeign,
    isFolded: () => true,
    fields: [
      [
        { path: "mqtt.protocolVersion", default: 4 },
        { path: "mqtt.qos", default: 1 },
      ],
      { path: "mqtt.clientId", input: plain },
      { path: "mqtt.tls.serverName", input: plain },
      { path: "mqtt.tls.rejectUnauthorized", control: TrustBox },
      { path: "mqtt.takeRetained", text: "takeRetained", control: SetBox },
    ],
  },
];

const downlinkFields = (type: IntegrationType): Fields => {
  const isAsked = (values: FormValues) => !usesMqtt(values);
  return [
    { path: "downlink.url", when: isAsked, keepsHidden: KEEPS_HIDDEN, input: plain },
    { path: "downlink.apiKey", when: isAsked, keepsHidden: KEEPS_HIDDEN, input: secret },
    { path: "downlink.applicationId", input: plain },
    ...(type === "CHIRPSTACK"
      ? []
      : [{ path: "downlink.webhookId", when: isAsked, keepsHidden: KEEPS_HIDDEN, input: plain }]),
    "downlink.fPort",
    { path: "downlink.confirmed", control: SetBox },
  ];
};

const schema = formSchema("integrations/integration-settings.schemas.ts", "settingsSchema");

export const nameForm: FormDefinition = {
  schema: formSchema("integrations/integrations.schemas.ts", "createIntegrationBody", ["name"]),
  texts: ["integration"],
  fields: [{ path: "name", input: { pattern: "^\\s*\\S.*" } }],
};

/**
 * Form of the settings of an integration. Without a format, messages of a broker may contain their device in the topic; a codec decodes frames at a
 * path.
 */
export function settingsForm(type: IntegrationType, { format, paths }: IntegrationSettings): FormDefinition {
  const hasRadio = isLorawan(type);
  return {
    schema,
    texts: [`integration.${type}`, "integration"],
    isSparse: true,
    fields: [
      ...(hasRadio ? [{ path: "mqtt", control: wayOf(type) }] : []),
      {
        group: "broker",
        isIndented: true,
        when: usesMqtt,
        fields: brokerFields(type === "MQTT" && format === undefined),
      },
      "autoCreateDevice",
      {
        path: "announceDevices",
        control: SetBox,
        when: (values) => format === "home-assistant" && isLocal(values),
      },
      { path: "deviceType", when: ({ autoCreateDevice }) => autoCreateDevice === true, input: plain },
      ...(hasRadio || paths?.frame !== undefined ? [{ path: "frameEncoding", control: HexBox }] : []),
      ...(hasRadio
        ? [
            { path: "radioPrefix", input: plain },
            {
              group: "downlink",
              isIndented: true as const,
              isFolded: ({ downlink }: FormValues) => downlink === undefined,
              fields: downlinkFields(type),
            },
          ]
        : []),
    ],
  };
}

/** Returns the settings for the form. */
export const valuesOf = (settings: IntegrationSettings): FormValues => ({
  autoCreateDevice: false,
  radioPrefix: RADIO_PREFIX,
  ...settings,
});

/** Returns the entered settings. */
export function settingsOf(form: FormDefinition, values: FormValues): IntegrationSettings {
  const { radioPrefix, ...settings } = values;
  const sent = sentValues(form, settings);
  const local = isLocal(values)
    ? withValue(withValue(sent, "mqtt.credentials", undefined), "mqtt.tls", undefined)
    : sent;
  // An empty prefix has a meaning.
  return typeof radioPrefix === "string" && radioPrefix.trim() !== RADIO_PREFIX
    ? { ...local, radioPrefix: radioPrefix.trim() }
    : local; // the API checks it
}

/** Returns the changes of the settings; null removes a part. */
export function changesOf(before: IntegrationSettings, after: IntegrationSettings): SettingsChanges {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return { ...after, ...Object.fromEntries(removed.map((name) => [name, null])) };
}
