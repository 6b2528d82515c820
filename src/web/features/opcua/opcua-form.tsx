import { FileBadge, Search } from "lucide-preact";
import { useState } from "preact/hooks";
import type { FormValues } from "../../lib/form-schema.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { useAction } from "../../ui/use-form.ts";
import { useSchemaForm } from "../../ui/use-schema-form.ts";
import type { ConnectionFormProps } from "../field/connection-page.tsx";
import {
  type OpcUaConnection,
  type OpcUaConnectionInput,
  type OpcUaEndpoint,
  opcuaApi,
} from "./opcua-api.ts";
import { connectionForm } from "./opcua-forms.ts";

const defaults = {
  name: "",
  host: "",
  port: 4_840,
  path: "",
  securityMode: "NONE",
  securityPolicy: "NONE",
  signIn: "ANONYMOUS",
  storesUncertain: false,
  timeoutMs: 4_000,
  enabled: true,
};

export function OpcUaForm({ connection, draft, onClose, onSaved }: ConnectionFormProps<OpcUaConnection>) {
  const form = useSchemaForm(connectionForm, { ...defaults, ...connection }, draft);
  const { values, onChange } = form.state;
  const submit = (e: SubmitEvent) => {
    e.preventDefault();
    form.send(async (body) => {
      const input = body as OpcUaConnectionInput; // the API checks it
      onSaved(
        connection ? await opcuaApi.update(connection.connectionId, input) : await opcuaApi.create(input),
      );
    });
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <SchemaFields
        form={connectionForm}
        {...form.state}
        hints={connection?.hasPassword ? { password: t("mailServer.kept") } : {}}
      />
      <Endpoints
        values={values}
        onSelect={({ mode, policy, fingerprint }) =>
          onChange({
            ...values,
            securityMode: mode,
            securityPolicy: policy,
            ...(mode !== "NONE" && { acceptedFingerprint: fingerprint }),
          })
        }
      />
      {values.securityMode !== "NONE" && <OwnCertificate />}
      <FormButtons busy={form.busy} error={form.error} onCancel={onClose}>
        {connection ? t("common.save") : t("modbus.create")}
      </FormButtons>
    </form>
  );
}

/** Asks the server how it may be connected to. Selecting a way accepts the certificate that is shown with it. */
function Endpoints({
  values,
  onSelect,
}: {
  values: FormValues;
  onSelect: (endpoint: OpcUaEndpoint) => void;
}) {
  const [found, setFound] = useState<readonly OpcUaEndpoint[]>();
  const action = useAction();
  const host = String(values.host ?? "").trim();
  const ask = () =>
    action.run(async () => {
      setFound(undefined);
      const { port, path } = values as { port?: number; path?: string };
      setFound(await opcuaApi.endpoints({ host, ...(port && { port }), ...(path && { path }) }));
    });
  return (
    <div class="flex flex-col gap-3">
      <Button icon={Search} class="btn btn-sm self-start" disabled={action.busy || host === ""} onClick={ask}>
        {t("opcua.askServer")}
      </Button>
      <ErrorNote error={action.error} />
      {found && (
        <>
          <p role="status">{plural("opcua.endpoints", found.length)}</p>
          <p class="text-sm text-soft">{t("opcua.compare")}</p>
        </>
      )}
      <ul class="flex flex-col gap-2">
        {found?.map((endpoint) => {
          const { mode, policy, fingerprint } = endpoint;
          return (
            <li key={`${mode} ${policy}`} class="flex flex-col gap-1">
              <button
                type="button"
                class="btn btn-ghost btn-sm self-start"
                disabled={policy === null}
                onClick={() => onSelect(endpoint)}
              >
                {t(`opcuaMode.${mode}`)}
                {mode !== "NONE" &&
                  ` · ${policy === null ? t("opcua.unsupported") : t(`opcuaPolicy.${policy}`)}`}
              </button>
              {mode !== "NONE" && fingerprint && (
                <span class="reading pl-3 text-xs text-soft wrap-anywhere">{fingerprint}</span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The certificate of the gateway, which the server has to trust. */
function OwnCertificate() {
  const [isShown, setShown] = useState(false);
  return isShown ? (
    <CertificateText />
  ) : (
    <Button icon={FileBadge} class="btn btn-sm self-start" onClick={() => setShown(true)}>
      {t("opcua.ownCertificate")}
    </Button>
  );
}

function CertificateText() {
  const certificate = useResource(() => opcuaApi.certificate(), []);
  return (
    <Loaded of={certificate}>
      {({ pem, fingerprint }) => (
        <div class="flex flex-col gap-2">
          <p class="text-sm text-soft">{t("opcua.trustHint")}</p>
          <p class="reading text-xs wrap-anywhere">{fingerprint}</p>
          <CopyButton text={pem} label={t("opcua.copyCertificate")} />
        </div>
      )}
    </Loaded>
  );
}
