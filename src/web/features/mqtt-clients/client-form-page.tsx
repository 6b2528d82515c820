import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError } from "../../platform/api-client.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { fieldProblem } from "../../ui/error-text.ts";
import { FormPage } from "../../ui/form-page.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { Pending } from "../../ui/pending.tsx";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { apiKeysApi } from "../api-keys/api-keys-api.ts";
import { ThingFaults } from "../faults/fault-list.tsx";
import { type MqttClient, mqttClientsApi, type SavedMqttClient } from "./mqtt-clients-api.ts";

const SIGN_INS = ["PASSWORD", "CERTIFICATE", "API_KEY"] as const;
type SignIn = (typeof SIGN_INS)[number];
const FIELDS = ["name", "username", "password", "certificate", "apiKeyId", "messagesPerSecond"];

/** Returns the patterns, one per line, without the blanks around them. */
const patternsOf = (text: FormDataEntryValue | null): string[] =>
  String(text ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const textOf = (data: FormData, field: string): string | undefined =>
  String(data.get(field) ?? "").trim() || undefined;

type CredentialField = "username" | "password" | "certificate" | "apiKeyId";
const CREDENTIALS: Readonly<Record<SignIn, readonly CredentialField[]>> = {
  PASSWORD: ["username", "password"],
  CERTIFICATE: ["certificate"],
  API_KEY: ["apiKeyId"],
};

/** Returns the credentials of the form. A password or certificate that is left empty is not changed. */
function credentialsOf(data: FormData, signIn: SignIn, before: MqttClient | undefined) {
  const credentials: Partial<Record<CredentialField, string>> = {};
  for (const field of CREDENTIALS[signIn]) {
    const text = textOf(data, field);
    if (text !== undefined) credentials[field] = text;
  }
  return { ...credentials, ...(before?.signIn !== signIn && { signIn }) };
}

function fieldsOf(data: FormData, signIn: SignIn, before: MqttClient | undefined) {
  const rate = textOf(data, "messagesPerSecond");
  return {
    name: String(data.get("name")).trim(),
    publish: patternsOf(data.get("publish")),
    subscribe: patternsOf(data.get("subscribe")),
    enabled: data.get("enabled") !== null,
    messagesPerSecond: rate === undefined ? null : Number(rate),
    ...credentialsOf(data, signIn, before),
  };
}

const LIST = "/mqtt-clients";

/** Form of a client that exists. */
export function EditClientPage({ mqttClientId }: { mqttClientId: string }) {
  const resource = useResource(() => mqttClientsApi.get(mqttClientId), [mqttClientId]);
  const { data: client, error } = resource;
  if (error instanceof ApiError && error.status === 404) return <NotFoundScreen />;
  return client === undefined ? <Pending resource={resource} /> : <ClientFormPage client={client} />;
}

/** Creates a client, or changes the one that it gets; a generated password is shown once. */
export function ClientFormPage({ client }: { client?: MqttClient }) {
  const { route } = useLocation();
  const [saved, setSaved] = useState<SavedMqttClient | undefined>(undefined);
  const [signIn, setSignIn] = useState<SignIn>(client?.signIn ?? "PASSWORD");
  const action = useAction();
  const problem = fieldProblem(action.error, FIELDS);
  const errorOf = (field: string) => (problem?.field === field ? problem.text : undefined);
  const close = () => route(LIST, true);
  const submit = (form: HTMLFormElement) => {
    const fields = fieldsOf(new FormData(form), signIn, client);
    action.run(async () => {
      const answer = client
        ? await mqttClientsApi.update(client.mqttClientId, fields)
        : await mqttClientsApi.create({ ...fields, signIn });
      if (answer.password !== undefined) return setSaved(answer);
      toast("success", t("common.nameIsSaved", { name: answer.name }));
      close();
    });
  };
  return (
    <FormPage
      title={client ? t("common.editName", { name: client.name }) : t("mqttClients.create")}
      back={{ href: LIST, text: t("nav.mqttClients") }}
      submitText={t(client ? "common.save" : "mqttClients.create")}
      onSubmit={submit}
      busy={action.busy}
      error={problem ? undefined : action.error}
      isFixed={!may("mqtt-clients:write")}
    >
      <div class="panel flex flex-col gap-4 p-4 sm:p-5">
        <TextField
          label={t("common.name")}
          hint={t("mqttClients.nameHint")}
          error={errorOf("name")}
          name="name"
          required
          maxLength={100}
          pattern=".*\S.*"
          defaultValue={client?.name}
          autofocus={client === undefined}
        />
        <SelectField
          label={t("mqttClients.signIn")}
          value={signIn}
          onChange={(e) => setSignIn(SIGN_INS.find((kind) => kind === e.currentTarget.value) ?? "PASSWORD")}
        >
          {SIGN_INS.map((kind) => (
            <option key={kind} value={kind}>
              {t(`mqttSignIn.${kind}`)}
            </option>
          ))}
        </SelectField>
        <Credentials signIn={signIn} client={client} errorOf={errorOf} />
        {client && <p class="text-sm text-soft">{t("mqttClients.changeHint")}</p>}
      </div>
      <Rights client={client} errorOf={errorOf} />
      {client && <ThingFaults kind="mqtt_client" id={client.mqttClientId} />}
      {saved?.password !== undefined && (
        <Dialog title={t("mqttClients.ready", { name: saved.name })} onClose={close} firm>
          <ShownOnce saved={saved} password={saved.password} onClose={close} />
        </Dialog>
      )}
    </FormPage>
  );
}

/** Fields of the rights of a client. */
function Rights({ client, errorOf }: Pick<CredentialsProps, "client" | "errorOf">) {
  return (
    <Section id="mqtt-rights" title={t("mqttClients.tabTopics")}>
      <TextAreaField
        label={t("mqttClients.publish")}
        hint={t("mqttClients.publishHint")}
        name="publish"
        rows={3}
        defaultValue={client?.publish.join("\n")}
        placeholder="plant/line-1/#"
      />
      <TextAreaField
        label={t("mqttClients.subscribe")}
        hint={t("mqttClients.subscribeHint")}
        name="subscribe"
        rows={3}
        defaultValue={client?.subscribe.join("\n")}
        placeholder="plant/#"
      />
      <TextField
        label={t("mqttClients.rate")}
        hint={t("mqttClients.rateHint")}
        error={errorOf("messagesPerSecond")}
        name="messagesPerSecond"
        type="number"
        min={1}
        max={1_000_000}
        defaultValue={client?.messagesPerSecond?.toString()}
      />
      <Checkbox name="enabled" defaultChecked={client?.enabled ?? true}>
        {t("mqttClients.enabled")}
      </Checkbox>
    </Section>
  );
}

interface CredentialsProps {
  readonly signIn: SignIn;
  readonly client: MqttClient | undefined;
  readonly errorOf: (field: string) => string | undefined;
}

function Credentials({ signIn, client, errorOf }: CredentialsProps) {
  const isSame = client?.signIn === signIn;
  if (signIn === "API_KEY") return <ApiKeyField client={client} errorOf={errorOf} />;
  if (signIn === "CERTIFICATE")
    return (
      <TextAreaField
        label={t("mqttClients.certificate")}
        hint={isSame ? t("mqttClients.keepHint") : t("mqttClients.certificateHint")}
        error={errorOf("certificate")}
        name="certificate"
        rows={4}
        required={!isSame}
        placeholder="-----BEGIN CERTIFICATE-----"
      />
    );
  return (
    <>
      <TextField
        label={t("mqttClients.username")}
        error={errorOf("username")}
        name="username"
        required
        maxLength={256}
        autocomplete="off"
        defaultValue={client?.username ?? undefined}
      />
      <TextField
        label={t("common.password")}
        hint={isSame ? t("mqttClients.keepHint") : t("mqttClients.passwordHint")}
        error={errorOf("password")}
        name="password"
        type="password"
        minLength={8}
        maxLength={256}
        autocomplete="new-password"
      />
    </>
  );
}

function ApiKeyField({ client, errorOf }: Pick<CredentialsProps, "client" | "errorOf">) {
  const keys = useResource(apiKeysApi.list, []);
  const suitable = keys.data?.filter(({ hasGlobalDeviceAccess }) => hasGlobalDeviceAccess) ?? [];
  if (keys.error !== undefined) return <ErrorNote of={keys} />;
  return (
    <SelectField
      key={suitable.length}
      label={t("common.apiKey")}
      hint={t("mqttClients.apiKeyHint")}
      error={errorOf("apiKeyId")}
      name="apiKeyId"
      required
      defaultValue={client?.apiKeyId ?? ""}
    >
      <option value="">{t("mqttClients.apiKeySelect")}</option>
      {suitable.map(({ apiKeyId, name, hint }) => (
        <option key={apiKeyId} value={apiKeyId}>
          {name} ({hint})
        </option>
      ))}
    </SelectField>
  );
}

function ShownOnce(props: { saved: SavedMqttClient; password: string; onClose: () => void }) {
  const { saved, password } = props;
  return (
    <div class="flex flex-col gap-4" data-testid="mqtt-password">
      <p role="status">{t("mqttClients.once")}</p>
      <dl class="grid grid-cols-[auto_1fr_auto] items-center gap-x-4 gap-y-2 rounded-field bg-base-200 p-3">
        <dt class="panel-label">{t("mqttClients.username")}</dt>
        <dd class="reading text-sm break-all">{saved.username}</dd>
        <CopyButton text={saved.username ?? ""} label={t("mqttClients.copyUsername")} />
        <dt class="panel-label">{t("common.password")}</dt>
        <dd class="reading text-sm break-all">{password}</dd>
        <CopyButton text={password} label={t("mqttClients.copyPassword")} />
      </dl>
      <div class="flex justify-end">
        <button type="button" class="btn btn-primary" onClick={props.onClose}>
          {t("mqttClients.done")}
        </button>
      </div>
    </div>
  );
}
