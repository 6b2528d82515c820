import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { fieldsOf, LOCAL_BROKER, settingsOf } from "./integration-form.ts";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { type Network, networks, startedText } from "./networks.ts";
import { SettingsFields } from "./settings-fields.tsx";

type Close = (integration: Integration | undefined) => void;

/** First what is connected, then what that needs; it runs at once. */
export function Wizard({ onClose }: { onClose: Close }) {
  const [network, setNetwork] = useState<Network | undefined>(undefined);
  return (
    <Dialog title={t("integrations.create")} onClose={() => onClose(undefined)} firm>
      {network === undefined ? (
        <Choice onSelect={setNetwork} />
      ) : (
        <Details key={network.id} network={network} onBack={() => setNetwork(undefined)} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Choice({ onSelect }: { onSelect: (network: Network) => void }) {
  return (
    <div class="flex flex-col gap-3">
      <p class="text-soft">{t("network.label")}</p>
      <ul class="grid gap-2 sm:grid-cols-2" aria-label={t("network.label")}>
        {networks.map((network) => (
          <li key={network.id}>
            <button
              type="button"
              class="flex h-full w-full flex-col rounded-field border border-base-300 px-4 py-3 text-left hover:border-primary hover:bg-base-200"
              onClick={() => onSelect(network)}
            >
              <span class="font-medium">{t(`network.${network.id}`)}</span>
              <span class="text-sm text-soft">{t(`network.${network.id}.hint`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Details({ network, onBack, onClose }: { network: Network; onBack: () => void; onClose: Close }) {
  const { type } = network;
  const [name, setName] = useState(t(`network.${network.id}`));
  const [fields, setFields] = useState(() => ({
    ...fieldsOf({}),
    autoCreate: true,
    // The embedded broker is the default, and needs no settings.
    brokerUrl: type === "MQTT" ? LOCAL_BROKER : "",
    topics: "topics" in network ? network.topics : "",
  }));
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      const format = "format" in network ? { format: network.format } : {};
      const integration = await integrationsApi.create({
        name: name.trim(),
        type,
        status: "active",
        settings_json: { ...format, ...settingsOf(type, fields) },
      });
      toast("success", startedText(integration));
      onClose(integration);
    });
  };
  return (
    <form class="flex flex-col gap-5" onSubmit={submit}>
      <TextField
        label={t("integration.name")}
        required
        maxLength={200}
        pattern=".*\S.*"
        value={name}
        autofocus
        onText={setName}
      />
      <SettingsFields
        type={type}
        fields={fields}
        onChange={setFields}
        format={"format" in network ? network.format : undefined}
      />
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <div class="mt-2 flex justify-between gap-2">
        <button type="button" class="btn btn-ghost" onClick={onBack}>
          {t("integration.back")}
        </button>
        <SubmitButton busy={action.busy}>{t("integrations.create")}</SubmitButton>
      </div>
    </form>
  );
}
