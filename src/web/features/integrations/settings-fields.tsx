import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox, Radio } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { type IntegrationFields, isKept, LOCAL_BROKER, type SecretField } from "./integration-form.ts";
import type { IntegrationSettings, IntegrationType } from "./integrations-api.ts";
import { isLorawan, serverTopics } from "./networks.ts";

interface Props {
  readonly type: IntegrationType;
  readonly fields: IntegrationFields;
  readonly onChange: (fields: IntegrationFields) => void;
  /** Format of bodies, if the type alone does not determine it: then the messages name their device. */
  readonly format?: string | undefined;
  /** Present settings. Secrets only have a mark that they are kept. */
  readonly before?: IntegrationSettings;
}

type TextField = {
  [K in keyof IntegrationFields]: IntegrationFields[K] extends string ? K : never;
}[keyof IntegrationFields];

const PEM_ROWS = 3;

/** Settings of an integration, for a new one and later. */
export function SettingsFields({ type, fields, onChange, format, before = {} }: Props) {
  const set = (changes: Partial<IntegrationFields>) => onChange({ ...fields, ...changes });
  const usesMqtt = type === "MQTT" || fields.usesMqtt;
  const selectWay = (way: "webhook" | "mqtt") =>
    set({
      usesMqtt: way === "mqtt",
      ...(way === "mqtt" && fields.topics === "" && { topics: serverTopics[type] ?? "" }),
    });
  return (
    <>
      {isLorawan(type) && <WayFields usesMqtt={usesMqtt} onSelect={selectWay} />}
      {usesMqtt && (
        <BrokerFields
          fields={fields}
          set={set}
          before={before}
          isAnyBody={type === "MQTT" && (format ?? before.format) === undefined}
        />
      )}
      <Checkbox
        checked={fields.autoCreate}
        onCheck={(autoCreate) => set({ autoCreate })}
        hint={t("integration.autoCreateHint")}
      >
        {t("integration.autoCreate")}
      </Checkbox>
      {(format ?? before.format) === "home-assistant" && fields.brokerUrl === LOCAL_BROKER && (
        <Checkbox
          checked={fields.announces}
          onCheck={(announces) => set({ announces })}
          hint={t("integration.announcesHint")}
        >
          {t("integration.announces")}
        </Checkbox>
      )}
      {fields.autoCreate && (
        <Field label={t("integration.deviceType")} hint={t("integration.deviceTypeHint")}>
          <Input name="deviceType" fields={fields} set={set} max={128} />
        </Field>
      )}
      {(isLorawan(type) || before.paths?.frame !== undefined) && (
        <Checkbox
          checked={fields.isHex}
          onCheck={(isHex) => set({ isHex })}
          hint={t("integration.isHexHint")}
        >
          {t("integration.isHex")}
        </Checkbox>
      )}
      {isLorawan(type) && (
        <>
          <Field
            label={t("integration.radioPrefix")}
            hint={t("integration.radioPrefixHint", { example: `${fields.radioPrefix}rssi` })}
          >
            <Input name="radioPrefix" fields={fields} set={set} max={64} />
          </Field>
          <DownlinkFields type={type} fields={fields} set={set} before={before} />
        </>
      )}
    </>
  );
}

/** Selects how the messages of a network server arrive. */
function WayFields(props: { usesMqtt: boolean; onSelect: (way: "webhook" | "mqtt") => void }) {
  return (
    <fieldset class="flex flex-col gap-2">
      <legend class="mb-1.5 text-sm font-medium">{t("integration.way")}</legend>
      {(["webhook", "mqtt"] as const).map((way) => (
        <label key={way} class="flex cursor-pointer items-start gap-3">
          <input
            type="radio"
            name="way"
            class="radio radio-sm mt-0.5"
            checked={(way === "mqtt") === props.usesMqtt}
            onChange={() => props.onSelect(way)}
          />
          {t(way === "mqtt" ? "integration.wayMqtt" : "integration.wayWebhook")}
        </label>
      ))}
    </fieldset>
  );
}

interface PartProps {
  readonly type: IntegrationType;
  readonly fields: IntegrationFields;
  readonly set: (changes: Partial<IntegrationFields>) => void;
  readonly before: IntegrationSettings;
}

function Input(props: {
  name: TextField;
  fields: IntegrationFields;
  set: PartProps["set"];
  max: number;
  required?: boolean;
  type?: string;
  placeholder?: string | undefined;
}) {
  const { name, fields, set, max, required = false, type = "text", placeholder } = props;
  return (
    <input
      class="input w-full"
      type={type}
      value={fields[name]}
      maxLength={max}
      required={required}
      spellcheck={false}
      autocomplete={type === "password" ? "new-password" : "off"}
      {...(placeholder !== undefined && { placeholder })}
      onInput={(e) => set({ [name]: e.currentTarget.value })}
    />
  );
}

const keptText = (before: IntegrationSettings, field: SecretField) =>
  isKept(before, field) ? t("integration.keptSecret") : undefined;

function BrokerFields(props: Omit<PartProps, "type"> & { isAnyBody: boolean }) {
  const { fields, set, before, isAnyBody } = props;
  const isLocal = fields.brokerUrl === LOCAL_BROKER;
  return (
    <fieldset class="flex flex-col gap-4 border-l-2 border-base-300 pl-4">
      <legend class="mb-2 font-semibold">{t("integration.broker")}</legend>
      <Radio
        name="broker"
        checked={isLocal}
        onChange={() => set({ brokerUrl: LOCAL_BROKER })}
        hint={t("integration.localBrokerHint")}
      >
        {t("integration.localBroker")}
      </Radio>
      <Radio name="broker" checked={!isLocal} onChange={() => set({ brokerUrl: "" })}>
        {t("integration.otherBroker")}
      </Radio>
      {!isLocal && (
        <Field label={t("integration.brokerUrl")} hint={t("integration.brokerUrlHint")}>
          <Input
            name="brokerUrl"
            fields={fields}
            set={set}
            max={512}
            required
            placeholder="mqtt://192.168.1.20:1883"
          />
        </Field>
      )}
      <TextAreaField
        label={t("integration.topicFilter")}
        hint={t("integration.topicFilterHint")}
        rows={Math.max(2, fields.topics.split("\n").length)}
        required
        value={fields.topics}
        spellcheck={false}
        onText={(text) => set({ topics: text })}
      />
      {isAnyBody && (
        <Field
          label={t("integration.topicTemplate")}
          hint={t("integration.topicTemplateHint", { example: "sensors/{device}/up" })}
        >
          <Input name="topicTemplate" fields={fields} set={set} max={512} />
        </Field>
      )}
      <Field
        label={t("integration.attributesTopic")}
        hint={t("integration.attributesTopicHint", { device: "{device}", key: "{key}" })}
      >
        <Input name="attributesTopic" fields={fields} set={set} max={512} />
      </Field>
      {isLocal ? (
        <Checkbox
          checked={fields.takeRetained}
          onCheck={(takeRetained) => set({ takeRetained })}
          hint={t("integration.takeRetainedHint")}
        >
          {t("integration.takeRetained")}
        </Checkbox>
      ) : (
        <OtherBroker fields={fields} set={set} before={before} />
      )}
    </fieldset>
  );
}

/** Fields with which the gateway signs in to another broker. */
function OtherBroker({ fields, set, before }: Omit<PartProps, "type">) {
  const common = { fields, set };
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-2">
        <Field label={t("integration.username")}>
          <Input name="username" {...common} max={256} />
        </Field>
        <Field label={t("integration.password")} hint={keptText(before, "password")}>
          <Input name="password" {...common} max={4096} type="password" />
        </Field>
      </div>
      <details>
        <summary class="cursor-pointer text-sm font-medium">{t("integration.certificates")}</summary>
        <div class="mt-3 flex flex-col gap-4">
          {(["ca", "cert", "key"] as const).map((name) => (
            <TextAreaField
              key={name}
              label={t(`integration.${name}`)}
              hint={name === "key" ? keptText(before, "key") : undefined}
              rows={PEM_ROWS}
              value={fields[name]}
              spellcheck={false}
              class="textarea reading w-full text-xs"
              onText={(text) => set({ [name]: text })}
            />
          ))}
        </div>
      </details>
      <ConnectionFields fields={fields} set={set} />
    </>
  );
}

/** Connection settings that most brokers do not need. */
function ConnectionFields({ fields, set }: Pick<PartProps, "fields" | "set">) {
  const check = (name: "isTrusting" | "takeRetained", text: string, hint: string) => (
    <label class="flex cursor-pointer items-start gap-3">
      <input
        type="checkbox"
        class="checkbox checkbox-sm mt-0.5"
        checked={fields[name]}
        onChange={(e) => set({ [name]: e.currentTarget.checked })}
      />
      <span>
        {text}
        <span class="block text-sm text-soft">{hint}</span>
      </span>
    </label>
  );
  const choice = (name: "qos" | "version", items: ReadonlyArray<readonly [string, string]>) => (
    <select
      class="select w-full"
      value={fields[name]}
      onChange={(e) => set({ [name]: e.currentTarget.value })}
    >
      {items.map(([value, text]) => (
        <option key={value} value={value} selected={value === fields[name]}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <details>
      <summary class="cursor-pointer text-sm font-medium">{t("integration.more")}</summary>
      <div class="mt-3 flex flex-col gap-4">
        <div class="grid gap-4 sm:grid-cols-2">
          <Field label={t("integration.version")}>
            {choice("version", [
              ["4", "3.1.1"],
              ["5", "5"],
            ])}
          </Field>
          <Field label={t("integration.qos")}>
            {choice("qos", [
              ["0", t("integration.qos0")],
              ["1", t("integration.qos1")],
              ["2", t("integration.qos2")],
            ])}
          </Field>
        </div>
        <Field label={t("integration.clientId")} hint={t("integration.clientIdHint")}>
          <Input name="clientId" fields={fields} set={set} max={128} />
        </Field>
        <Field label={t("integration.serverName")} hint={t("integration.serverNameHint")}>
          <Input name="serverName" fields={fields} set={set} max={256} />
        </Field>
        {check("isTrusting", t("integration.isTrusting"), t("integration.isTrustingHint"))}
        {check("takeRetained", t("integration.takeRetained"), t("integration.takeRetainedHint"))}
      </div>
    </details>
  );
}

function DownlinkFields({ type, fields, set, before }: PartProps) {
  const common = { fields, set };
  const isChirpstack = type === "CHIRPSTACK";
  return (
    <details open={before.downlink !== undefined}>
      <summary class="cursor-pointer font-semibold">{t("integration.downlink")}</summary>
      <div class="mt-3 flex flex-col gap-4 border-l-2 border-base-300 pl-4">
        {!fields.usesMqtt && (
          <>
            <Field
              label={t("integration.downlinkUrl")}
              hint={t(isChirpstack ? "integration.downlinkUrlChirpstack" : "integration.downlinkUrlTts")}
            >
              <Input name="downlinkUrl" {...common} max={512} />
            </Field>
            <Field label={t("integration.apiKey")} hint={keptText(before, "apiKey")}>
              <Input name="apiKey" {...common} max={4096} type="password" />
            </Field>
          </>
        )}
        <Field label={t("integration.applicationId")}>
          <Input name="applicationId" {...common} max={128} />
        </Field>
        {!isChirpstack && !fields.usesMqtt && (
          <Field label={t("integration.webhookId")}>
            <Input name="webhookId" {...common} max={128} />
          </Field>
        )}
        <Field label={t("integration.fPort")}>
          <Input name="fPort" {...common} max={3} type="number" />
        </Field>
        <label class="flex cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            class="checkbox checkbox-sm"
            checked={fields.confirmed}
            onChange={(e) => set({ confirmed: e.currentTarget.checked })}
          />
          {t("integration.confirmed")}
        </label>
      </div>
    </details>
  );
}
