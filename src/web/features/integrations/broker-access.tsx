import { KeyRound } from "lucide-preact";
import { useState } from "preact/hooks";
import { type MessageKey, t, textIfAny } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { connectivityApi } from "../connect/connectivity-api.ts";
import { mqttClientsApi } from "../mqtt-clients/mqtt-clients-api.ts";
import type { Integration } from "./integrations-api.ts";
import { clientTopics } from "./network-list.ts";
import { networkOf } from "./networks.ts";

interface Access {
  readonly clientId: string;
  readonly username: string;
  /** Only known on the page that created it. */
  readonly password?: string | undefined;
}

/** Max. MQTT clients of a site. */
const CLIENTS_MAX = 1_000;

/** Access created on this page, by integration, because its password is only shown once. */
const createdHere = new Map<string, Access>();

/** Creates an MQTT client with the name of the integration, for the sign-in of its devices at the broker of this gateway. */
export async function createBrokerAccess(integration: Integration): Promise<Access> {
  const { integrationId, name, settings_json } = integration;
  const { id } = networkOf(integration);
  const { publish, subscribe = [] } = clientTopics[id] ?? {};
  const username = `${id.toLowerCase()}-${integrationId.slice(-6)}`;
  const { mqttClientId, password } = await mqttClientsApi.create({
    name: name.slice(0, 100),
    signIn: "PASSWORD",
    username,
    publish: [...(publish ?? [settings_json.mqtt?.topicFilter ?? []].flat())],
    subscribe: [...subscribe],
  });
  const access = { clientId: mqttClientId, username, password };
  createdHere.set(integrationId, access);
  return access;
}

async function findAccess({ integrationId }: Integration): Promise<Access | null> {
  const { rows } = await mqttClientsApi.list("", CLIENTS_MAX);
  const username = (client: (typeof rows)[number]) => client.username ?? "";
  const client = rows.find((row) => username(row).endsWith(`-${integrationId.slice(-6)}`));
  return client === undefined ? null : { clientId: client.mqttClientId, username: username(client) };
}

interface Address {
  readonly host: string;
  readonly port: string;
}

async function loadAddress(): Promise<Address | undefined> {
  const { transports } = await connectivityApi.catalog();
  const urls = transports.map(({ url }) => url).filter((url) => URL.canParse(url));
  const broker =
    urls.find((url) => url.startsWith("mqtt://")) ?? urls.find((url) => url.startsWith("mqtts://"));
  if (broker === undefined) return;
  const { protocol, hostname, port } = new URL(broker);
  return { host: hostname, port: port || (protocol === "mqtts:" ? "8883" : "1883") };
}

/** Settings for devices that send to the broker of this gateway: address, user and password. */
export function BrokerAccess({ integration }: { integration: Integration }) {
  const mayRead = may("mqtt-clients:read");
  const address = useResource(loadAddress, []).data;
  const found = useResource(
    async () => (mayRead ? findAccess(integration) : null),
    [integration.integrationId],
  );
  const [created, setCreated] = useState(createdHere.get(integration.integrationId));
  const action = useAction();
  const access = created ?? found.data ?? undefined;
  const menu = textIfAny(`network.${networkOf(integration).id}.menu` satisfies MessageKey | string);
  return (
    <section class="panel flex min-w-0 flex-col gap-4 p-4" data-testid="broker-access">
      <div class="flex flex-col gap-1">
        <h2 class="font-semibold">{t("brokerAccess.title")}</h2>
        <p class="text-soft">{menu ?? t("brokerAccess.hint")}</p>
      </div>
      <dl class="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 gap-y-2">
        <Entry name={t("common.host")} value={address?.host} />
        <Entry name={t("brokerAccess.port")} value={address?.port} />
        <Entry name={t("signIn.username")} value={access?.username} />
        <Entry name={t("common.password")} value={access?.password} />
      </dl>
      <ErrorNote error={action.error} />
      {access?.password !== undefined && <p class="text-sm text-soft">{t("brokerAccess.once")}</p>}
      {access !== undefined && (
        <a class="link self-start text-sm" href={`/mqtt-clients/clients/${access.clientId}`}>
          {t("brokerAccess.client")}
        </a>
      )}
      {access === undefined && found.data === null && may("mqtt-clients:write") && (
        <Button
          icon={KeyRound}
          class="btn btn-primary btn-sm self-start"
          disabled={action.busy}
          onClick={() => action.run(async () => setCreated(await createBrokerAccess(integration)))}
        >
          {t("brokerAccess.create")}
        </Button>
      )}
    </section>
  );
}

function Entry({ name, value }: { name: string; value: string | undefined }) {
  return (
    <>
      <dt class="text-sm text-soft">{name}</dt>
      <dd class="flex min-w-0 items-center gap-2">
        {value === undefined ? (
          "–"
        ) : (
          <>
            <code class="reading text-sm wrap-anywhere">{value}</code>
            <CopyButton text={value} label={t("brokerAccess.copy", { name })} />
          </>
        )}
      </dd>
    </>
  );
}
