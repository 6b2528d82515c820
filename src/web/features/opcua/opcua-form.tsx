import { FileBadge, RefreshCw, Search } from "lucide-preact";
import { useState } from "preact/hooks";
import { OPCUA_POLICIES, OPCUA_SECURITY_MODES } from "../../../lib/opcua/opcua-lists.ts";
import type { FormValues } from "../../lib/form-schema.ts";
import { formatDate } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may, me } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Radio } from "../../ui/form/choice.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { ConnectionForm, type ConnectionFormProps } from "../field/connection-form.tsx";
import { type OpcUaConnection, type OpcUaEndpoint, opcuaApi } from "./opcua-api.ts";
import { addressForm, connectionForm, securityForm, withWholeAddress } from "./opcua-forms.ts";

const defaults = {
  name: "",
  host: "",
  port: 4_840,
  path: "",
  securityMode: "NONE",
  securityPolicy: "NONE",
  signIn: "ANONYMOUS",
  reading: "SUBSCRIPTION",
  storesUncertain: false,
  timeoutMs: 4_000,
  enabled: true,
};

export const OpcUaForm = (props: ConnectionFormProps<OpcUaConnection>) => (
  <ConnectionForm
    {...props}
    form={connectionForm}
    defaults={defaults}
    api={opcuaApi}
    fields={(state) => (
      <>
        <div class="contents" onChange={() => state.onChange(withWholeAddress(state.values))}>
          <SchemaFields form={addressForm} {...state} />
        </div>
        <Endpoints
          values={state.values}
          onSelect={({ mode, policy, users, fingerprint }) =>
            state.onChange({
              ...state.values,
              name: String(state.values.name ?? "").trim() || state.values.host,
              securityMode: mode,
              securityPolicy: policy,
              signIn: users.find((kind) => kind === state.values.signIn) ?? users[0] ?? state.values.signIn,
              ...(mode !== "NONE" && { acceptedFingerprint: fingerprint }),
            })
          }
        />
        <SchemaFields
          form={securityForm}
          {...state}
          hints={props.connection?.hasPassword ? { password: t("mailServer.kept") } : {}}
        />
        {state.values.securityMode !== "NONE" && <OwnCertificate />}
      </>
    )}
  />
);

/** Requests the endpoints of the server. Selecting one enters its certificate as accepted. */
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
  const ask = (e: MouseEvent) => {
    const button = e.currentTarget as HTMLButtonElement;
    if (button.form?.querySelector("input")?.reportValidity() === false) return;
    action.run(async () => {
      setFound(undefined);
      const { port, path } = values as { port?: number; path?: string };
      const list = await opcuaApi.endpoints({ host, ...(port && { port }), ...(path && { path }) });
      // The safest first.
      const safety = ({ mode, policy }: OpcUaEndpoint) =>
        10 * OPCUA_SECURITY_MODES.indexOf(mode) + OPCUA_POLICIES.indexOf(policy ?? "NONE");
      const sorted = list.toSorted((a, b) => safety(b) - safety(a));
      const safest = sorted.find(({ policy }) => policy !== null);
      // A certificate that replaces an accepted certificate must be selected by a person.
      if (safest && !values.acceptedFingerprint) onSelect(safest);
      setFound(sorted);
    });
  };
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
          const { mode, policy } = endpoint;
          return (
            <li key={`${mode} ${policy}`}>
              <Radio
                name="endpoint"
                disabled={policy === null}
                checked={values.securityMode === mode && values.securityPolicy === policy}
                onChange={() => onSelect(endpoint)}
              >
                {t(`fieldOption.opcuaConnection.securityMode.${mode}`)}
                {mode !== "NONE" &&
                  ` · ${policy === null ? t("opcua.unsupported") : t(`fieldOption.opcuaConnection.securityPolicy.${policy}`)}`}
              </Radio>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Certificate of the gateway, which the server must trust. */
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
      {({ pem, fingerprint, validTo }) => (
        <div class="flex flex-col gap-2">
          <p class="text-sm text-soft">{t("opcua.trustHint")}</p>
          <p class="reading text-xs wrap-anywhere">
            {fingerprint} · {formatDate(Date.parse(validTo), "full")}
          </p>
          <div class="flex flex-wrap gap-2">
            <CopyButton text={pem} label={t("opcua.copyCertificate")} />
            {me.value?.isHost === true && may("gateway:manage") && (
              <Button
                icon={RefreshCw}
                class="btn btn-sm"
                onClick={() =>
                  ask({
                    title: t("opcua.renewCertificate"),
                    warning: t("opcua.renewWarning"),
                    action: t("opcua.renewCertificate"),
                    onConfirm: async () => {
                      await opcuaApi.renewCertificate();
                      certificate.reload();
                    },
                  })
                }
              >
                {t("opcua.renewCertificate")}
              </Button>
            )}
          </div>
        </div>
      )}
    </Loaded>
  );
}
