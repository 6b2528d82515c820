import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { fieldProblem } from "../../ui/error-text.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { apiKeysApi } from "../api-keys/api-keys-api.ts";
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

/** Creates or changes a client; a generated password is shown once. */
export function ClientDialog(props: { client?: MqttClient; onClose: (changed: boolean) => void }) {
  const [saved, setSaved] = useState<SavedMqttClient | undefined>(undefined);
  const { client, onClose } = props;
  if (saved?.password !== undefined)
    return (
      <Dialog
        key="saved"
        title={t("mqttClients.ready", { name: saved.name })}
        onClose={() => onClose(true)}
        firm
      >
        <ShownOnce saved={saved} password={saved.password} onClose={() => onClose(true)} />
      </Dialog>
    );
  return (
    <Dialog
      key="form"
      title={client ? t("mqttClients.editOf", { name: client.name }) : t("mqttClients.create")}
      onClose={() => onClose(false)}
    >
      <ClientForm
        client={client}
        onSaved={(answer) => (answer.password === undefined ? onClose(true) : setSaved(answer))}
        onCancel={() => onClose(false)}
      />
    </Dialog>
  );
}

function ClientForm(props: {
  client: MqttClient | undefined;
  onSaved: (saved: SavedMqttClient) => void;
  onCancel: () => void;
}) {
  const { client } = props;
  const [signIn, setSignIn] = useState<SignIn>(client?.signIn ?? "PASSWORD");
  const action = useAction();
  const problem = fieldProblem(action.error, FIELDS);
  const errorOf = (field: string) => (problem?.field === field ? problem.text : undefined);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const rate = textOf(data, "messagesPerSecond");
    const fields = {
      name: String(data.get("name")).trim(),
      publish: patternsOf(data.get("publish")),
      subscribe: patternsOf(data.get("subscribe")),
      enabled: data.get("enabled") !== null,
      messagesPerSecond: rate === undefined ? null : Number(rate),
      ...credentialsOf(data, signIn, client),
    };
    action.run(async () =>
      props.onSaved(
        client
          ? await mqttClientsApi.update(client.mqttClientId, fields)
          : await mqttClientsApi.create({ ...fields, signIn }),
      ),
    );
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <TextField
        label={t("mqttClients.name")}
        hint={t("mqttClients.nameHint")}
        error={errorOf("name")}
        name="name"
        required
        maxLength={100}
        pattern=".*\S.*"
        defaultValue={client?.name}
        autofocus
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
      <Rights client={client} errorOf={errorOf} />
      {client && <p class="text-sm text-soft">{t("mqttClients.changeHint")}</p>}
      {action.error !== undefined && !problem && <ErrorNote error={action.error} />}
      <FormButtons busy={action.busy} onCancel={props.onCancel}>
        {client ? t("common.save") : t("mqttClients.create")}
      </FormButtons>
    </form>
  );
}

/** Fields of the rights of a client. */
function Rights({ client, errorOf }: Pick<CredentialsProps, "client" | "errorOf">) {
  return (
    <>
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
    </>
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
        label={t("mqttClients.password")}
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
  if (keys.error !== undefined) return <ErrorNote error={keys.error} onRetry={keys.reload} />;
  return (
    <SelectField
      key={suitable.length}
      label={t("mqttClients.apiKey")}
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
        <dt class="panel-label">{t("mqttClients.password")}</dt>
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
