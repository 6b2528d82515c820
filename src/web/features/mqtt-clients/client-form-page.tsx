import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Copyable, ShownOnce } from "../../ui/shown-once.tsx";
import { apiKeysApi } from "../api-keys/api-keys-api.ts";
import { ThingFaults } from "../faults/fault-list.tsx";
import { clientForm, clientInput, credentialsForm, newClient, rightsForm } from "./client-form.ts";
import {
  type MqttClient,
  type MqttClientInput,
  mqttClientsApi,
  type SavedMqttClient,
} from "./mqtt-clients-api.ts";

const LIST = "/mqtt-clients";

export function EditClientPage({ mqttClientId }: { mqttClientId: string }) {
  const resource = useResource(() => mqttClientsApi.get(mqttClientId), [mqttClientId]);
  return (
    <Loaded of={resource} isPage>
      {(client) => <ClientFormPage client={client} />}
    </Loaded>
  );
}

/** Creates a client, or edits the given one. A generated password is shown once. */
export function ClientFormPage({ client }: { client?: MqttClient }) {
  const { route } = useLocation();
  const [saved, setSaved] = useState<SavedMqttClient | undefined>(undefined);
  const form = useSchemaForm(clientForm, client ? { ...client } : newClient);
  const { signIn } = form.state.values;
  const keys = useResource(apiKeysApi.list, []);
  const suitable = keys.data?.filter(({ hasGlobalDeviceAccess }) => hasGlobalDeviceAccess) ?? [];
  const close = () => route(LIST, true);
  const submit = () =>
    form.send(async (body) => {
      const input = clientInput(body, client) as MqttClientInput; // the API checks it
      const response = client
        ? await mqttClientsApi.update(client.mqttClientId, input)
        : await mqttClientsApi.create(input);
      if (response.password !== undefined) return setSaved(response);
      toast("success", t("common.nameIsSaved", { name: response.name }));
      close();
    });
  const kept = t("mqttClients.keepHint");
  return (
    <FormPage
      title={client ? t("common.editName", { name: client.name }) : t("mqttClients.create")}
      back={{ href: LIST, text: t("nav.mqttClients") }}
      submitText={t(client ? "common.save" : "mqttClients.create")}
      onSubmit={submit}
      busy={form.busy}
      error={form.error}
      isFixed={!may("mqtt-clients:write")}
    >
      <div class="panel flex flex-col gap-4 p-4 sm:p-5">
        <SchemaFields
          form={credentialsForm}
          {...form.state}
          options={{ apiKeyId: suitable.map(({ apiKeyId, name, hint }) => [apiKeyId, `${name} (${hint})`]) }}
          {...(client?.signIn === signIn && { hints: { password: kept, certificate: kept } })}
        />
        {signIn === "API_KEY" && <Loaded of={keys} />}
        {client && <p class="text-sm text-soft">{t("mqttClients.changeHint")}</p>}
      </div>
      <Section id="mqtt-rights" title={t("mqttClients.tabTopics")}>
        <SchemaFields form={rightsForm} {...form.state} />
      </Section>
      {client && <ThingFaults kind="mqtt_client" id={client.mqttClientId} />}
      {saved?.password !== undefined && (
        <ShownOnce
          title={t("mqttClients.ready", { name: saved.name })}
          note={t("mqttClients.once")}
          doneText={t("mqttClients.done")}
          onClose={close}
          testId="mqtt-password"
        >
          <Copyable
            name={t("signIn.username")}
            text={saved.username ?? ""}
            copyText={t("mqttClients.copyUsername")}
          />
          <Copyable name={t("common.password")} text={saved.password} copyText={t("signIn.copyPassword")} />
        </ShownOnce>
      )}
    </FormPage>
  );
}
