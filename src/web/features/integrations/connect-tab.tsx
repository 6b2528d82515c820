import { useState } from "preact/hooks";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Age } from "../../ui/state/age.tsx";
import { BridgePanel } from "./bridge-panel.tsx";
import { BrokerAccess } from "./broker-access.tsx";
import { sampleBody } from "./captured-message.ts";
import { LOCAL_BROKER } from "./integration-form.tsx";
import { type Integration, integrationsApi, type SecretStatus } from "./integrations-api.ts";
import type { Network } from "./network-list.ts";
import { networkOf } from "./networks.ts";

/** Instructions for the other side: the settings with which messages arrive. */
export function ConnectTab({
  integration,
  onSecretCreated,
}: {
  integration: Integration;
  onSecretCreated: () => void;
}) {
  const status = useResource(integrationsApi.secret, []);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const { webhookUrl, settings_json } = integration;
  const { mqtt } = settings_json;
  return (
    <div class="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div class="flex min-w-0 flex-col gap-5">
        {mqtt?.brokerUrl === LOCAL_BROKER && <BrokerAccess integration={integration} />}
        <BridgePanel integration={integration} />
        {!mqtt && webhookUrl !== null && (
          <Loaded of={status}>
            {() => (
              <>
                <SecretPanel
                  status={status}
                  secret={secret}
                  onCreated={(text) => {
                    setSecret(text);
                    onSecretCreated();
                  }}
                />
                <section class="panel flex min-w-0 flex-col gap-4 p-4">
                  <h2 class="font-semibold">{t("hook.pasteTitle")}</h2>
                  <Paste integration={integration} url={webhookUrl} secret={secret} />
                  <p class="text-sm text-soft">{t("hook.reachable", { host: new URL(webhookUrl).host })}</p>
                </section>
              </>
            )}
          </Loaded>
        )}
      </div>
      <Arrival integration={integration} />
    </div>
  );
}

const helpHref = (network: Network): string =>
  "manual" in network
    ? `/manual/${network.manual}#if-nothing-arrives`
    : "/manual/troubleshooting#integrations";

/** Returns the id of the device with the newest stored values; undefined if unknown. */
async function newestDevice(integrationId: string): Promise<string | undefined> {
  const [event] = await integrationsApi.events(integrationId, { status: "OK", limit: 1 });
  const { stored } = (event?.result ?? {}) as { stored?: readonly { deviceId: string }[] }; // as the server wrote it
  return stored?.[0]?.deviceId;
}

function Arrival({ integration }: { integration: Integration }) {
  const { integrationId, stats, bridge, missing } = integration;
  const has = stats.received > 0;
  // Without its broker none arrive, whatever came before.
  const isCut = bridge !== null && bridge.status !== "connected";
  const device = useResource(() => newestDevice(integrationId), [integrationId, stats.stored > 0]).data;
  return (
    <section class="panel flex flex-col gap-3 p-4" data-testid="arrival">
      <p class={isCut && has ? "hidden" : "flex items-center gap-2.5"} role="status">
        <span class={`lamp ${has && missing === null ? "lamp-on" : "lamp-wait"}`} aria-hidden="true" />
        {t(missing !== null ? "hook.blocked" : has ? "hook.arrived" : "hook.waiting")}
      </p>
      {!has && (
        <a class="link self-start text-sm" href={helpHref(networkOf(integration))}>
          {t("connect.help")}
        </a>
      )}
      {has && (
        <>
          <p class="text-sm text-soft">
            {t("integrations.newest")}: <Age ts={toMs(stats.lastMessageAt)} />
          </p>
          {device && (
            <a class="btn btn-primary btn-sm self-start" href={`/devices/${device}/data`}>
              {t("connect.seeChart")}
            </a>
          )}
          <a class="btn btn-sm self-start" href={`/integrations/${integrationId}/messages`}>
            {t("hook.see")}
          </a>
        </>
      )}
    </section>
  );
}

function SecretPanel(props: {
  status: Resource<SecretStatus>;
  secret: string | undefined;
  onCreated: (secret: string) => void;
}) {
  const { status, secret, onCreated } = props;
  const [keepOld, setKeepOld] = useState(true);
  const action = useAction();
  const { hasSecret = false, secretUpdatedAt = null } = status.data ?? {};
  const rotate = () =>
    action.run(async () => {
      const created = await integrationsApi.rotateSecret(hasSecret && keepOld);
      onCreated(created.secret);
      status.reload();
    });
  return (
    <section class="panel flex min-w-0 flex-col gap-3 p-4">
      <h2 class="font-semibold">{t("hook.secretTitle")}</h2>
      {secret === undefined ? (
        <p>
          {t(hasSecret ? "hook.secretThere" : "hook.secretNone")}
          {hasSecret && (
            <>
              {" "}
              (<Age ts={toMs(secretUpdatedAt)} />)
            </>
          )}
        </p>
      ) : (
        <div class="flex flex-col gap-2" role="status">
          <p>{t("hook.secretShown")}</p>
          <div class="flex flex-wrap items-center gap-2">
            <code class="reading rounded-field bg-base-200 px-3 py-2 break-all" data-testid="secret">
              {secret}
            </code>
            <CopyButton text={secret} label={t("common.copySecret")} />
          </div>
        </div>
      )}
      <ErrorNote error={action.error} />
      {may("integrations:secret") ? (
        secret === undefined && (
          <>
            {hasSecret && (
              <label class="flex cursor-pointer items-center gap-3 text-sm">
                <input
                  type="checkbox"
                  class="checkbox checkbox-sm"
                  checked={keepOld}
                  onChange={(e) => setKeepOld(e.currentTarget.checked)}
                />
                {t("hook.secretKeepOld")}
              </label>
            )}
            <button
              type="button"
              class={`btn btn-sm self-start ${hasSecret ? "" : "btn-primary"}`}
              disabled={action.busy}
              onClick={rotate}
            >
              {t(hasSecret ? "hook.secretNew" : "hook.secretCreate")}
            </button>
          </>
        )
      ) : (
        <p class="text-sm text-soft">{t("hook.secretAsk")}</p>
      )}
    </section>
  );
}

interface PasteProps {
  readonly integration: Integration;
  readonly url: string;
  readonly secret: string | undefined;
}

function Paste({ integration, url, secret }: PasteProps) {
  const shown = secret ?? t("hook.secretPlace");
  const headers = [["X-Webhook-Secret", shown, secret === undefined]] as const;
  if (integration.type === "CHIRPSTACK")
    return (
      <>
        <p>{t("hook.chirpstack")}</p>
        <Rows
          rows={[
            [t("hook.chirpstackEncoding"), "JSON"],
            [t("hook.chirpstackUrl"), url],
          ]}
        />
        <h3 class="text-sm font-medium">{t("hook.chirpstackHeaders")}</h3>
        <Rows rows={headers} />
      </>
    );
  if (integration.type === "THE_THINGS_STACK")
    return (
      <>
        <p>{t("hook.tts")}</p>
        <Rows
          rows={[
            [t("hook.ttsId"), "lineside"],
            [t("hook.ttsFormat"), "JSON"],
            [t("hook.ttsUrl"), url],
            [t("hook.ttsTypes"), t("hook.ttsTypesText")],
          ]}
        />
        <h3 class="text-sm font-medium">{t("hook.ttsHeaders")}</h3>
        <Rows rows={headers} />
      </>
    );
  const network = networkOf(integration);
  const body = JSON.stringify(sampleBody(integration));
  const example = `curl -H 'content-type: application/json' -H 'x-webhook-secret: ${shown}' -d '${body}' ${url}`;
  return (
    <>
      <p>
        {"frames" in network ? t("hook.frames", { network: t(`network.${network.id}`) }) : t("hook.generic")}
      </p>
      <Rows rows={[[t("common.address"), url], ...headers]} />
      <h3 class="text-sm font-medium">{t("hook.example")}</h3>
      <div class="flex flex-wrap items-start gap-2">
        <pre class="reading min-w-0 flex-1 rounded-field bg-base-200 p-3 text-sm break-all whitespace-pre-wrap">
          {example}
        </pre>
        <CopyButton text={example} label={t("hook.copy", { what: t("hook.example") })} />
      </div>
    </>
  );
}

/** Names with copyable texts. A placeholder has no copy button. */
function Rows({ rows }: { rows: ReadonlyArray<readonly [name: string, text: string, isPlace?: boolean]> }) {
  return (
    <dl class="flex flex-col gap-2">
      {rows.map(([name, value, isPlace = false]) => (
        <div key={name} class="flex flex-wrap items-center gap-x-4 gap-y-1">
          <dt class="w-full flex-none text-sm text-soft sm:w-52">{name}</dt>
          <dd class="flex w-full min-w-0 items-center gap-2 sm:w-auto sm:flex-1">
            <code class="reading min-w-0 flex-1 text-sm break-all">{value}</code>
            {!isPlace && <CopyButton text={value} label={t("hook.copy", { what: name })} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
