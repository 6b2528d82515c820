import {
  Braces,
  Building2,
  Cable,
  Cpu,
  Factory,
  FileUp,
  House,
  type LucideIcon,
  Plug,
  RadioTower,
  Router,
  ToggleRight,
  Waypoints,
  Webhook,
  Workflow,
} from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { frameSources } from "../../../lib/devices/frame-sources.ts";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { PageHead } from "../../ui/page/page-head.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import { codecIndexApi } from "../codecs/codec-index-api.ts";
import { CodecIndexSearch } from "../codecs/codec-index-search.tsx";
import type { Codec } from "../codecs/codecs-api.ts";
import { createBrokerAccess } from "./broker-access.tsx";
import { DiscoveredNetworks } from "./discovered-panel.tsx";
import { LOCAL_BROKER, nameForm, settingsForm, settingsOf, topicsOf, valuesOf } from "./integration-form.tsx";
import { integrationsApi } from "./integrations-api.ts";
import { type Network, networks } from "./network-list.ts";
import { isLorawan, startedText } from "./networks.ts";

const HREF = "/integrations/new";

const isRadio = (network: Network): boolean => "frames" in network || isLorawan(network.type);

/** LoRaWAN network servers share another icon. */
const ICONS: Readonly<Partial<Record<Network["id"], LucideIcon>>> = {
  HTTP: Webhook,
  MQTT: Braces,
  tasmota: Plug,
  zigbee2mqtt: Waypoints,
  shelly: ToggleRight,
  "home-assistant": House,
  sparkplug: Factory,
};

/** Connections that need no integration. */
const DIRECT = [
  { id: "device", href: "/devices?create=1", Icon: Cpu, needs: "devices:write" },
  { id: "gateway", href: "/devices?create=1&role=GATEWAY", Icon: Router, needs: "devices:write" },
  { id: "modbus", href: "/field?create=modbus", Icon: Cable, needs: "integrations:write" },
  { id: "s7", href: "/field?create=s7", Icon: Factory, needs: "integrations:write" },
  { id: "opcua", href: "/field?create=opcua", Icon: Workflow, needs: "integrations:write" },
  { id: "bacnet", href: "/field?create=bacnet", Icon: Building2, needs: "integrations:write" },
  { id: "csv", href: "/devices/import", Icon: FileUp, needs: "devices:write" },
] as const;

/** Page for a new integration: first its kind, then its settings. It starts immediately. */
export function NewIntegrationPage() {
  const { query } = useLocation();
  const network = networks.find(({ id }) => id === query.network);
  return network === undefined ? <Choice /> : <Details key={network.id} network={network} />;
}

function Choice() {
  const { route } = useLocation();
  return (
    <>
      <Trail steps={[{ href: "/integrations", text: t("nav.integrations") }]} />
      <PageHead title={t("network.title")} />
      <DiscoveredNetworks onConnected={() => route("/integrations")} />
      <Cards
        title={t("network.direct")}
        items={DIRECT.filter(({ needs }) => may(needs)).map(({ id, href, Icon }) => ({
          id,
          href,
          Icon,
          text: t(`direct.${id}`),
          hint: t(`direct.${id}.hint`),
        }))}
      />
      {(["label", "lorawan"] as const).map((group) => (
        <Cards
          key={group}
          title={t(`network.${group}`)}
          items={networks
            .filter((network) => (group === "lorawan") === isRadio(network))
            .map(({ id }) => ({
              id,
              href: `${HREF}?network=${id}`,
              Icon: ICONS[id] ?? RadioTower,
              text: t(`network.${id}`),
              hint: t(`network.${id}.hint`),
            }))}
        />
      ))}
    </>
  );
}

interface Card {
  readonly id: string;
  readonly href: string;
  readonly Icon: LucideIcon;
  readonly text: string;
  readonly hint: string;
}

function Cards({ title, items }: { title: string; items: readonly Card[] }) {
  return (
    <section class="flex flex-col gap-3">
      <h2 class="panel-label">{title}</h2>
      <ul class="grid gap-3 sm:grid-cols-2 lg:grid-cols-3" aria-label={title}>
        {items.map(({ id, href, Icon, text, hint }) => (
          <li key={id}>
            <a class="panel flex h-full items-start gap-3 p-4 hover:border-primary" href={href}>
              <Icon size={22} class="mt-0.5 flex-none text-primary" aria-hidden="true" />
              <span class="flex min-w-0 flex-col gap-1">
                <span class="font-medium">{text}</span>
                <span class="text-sm text-soft">{hint}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Details({ network }: { network: Network }) {
  const { route } = useLocation();
  const { type } = network;
  const format = "format" in network ? { format: network.format } : {};
  const form = useMemo(() => settingsForm(type, format), [type]);
  const [name, setName] = useState<FormValues>({ name: t(`network.${network.id}`) });
  const [values, setValues] = useState<FormValues>(() => ({
    ...valuesOf(format),
    autoCreateDevice: true,
    // The embedded broker is the default, and needs no settings.
    ...(type === "MQTT" && {
      mqtt: { brokerUrl: LOCAL_BROKER, topicFilter: topicsOf("topics" in network ? network.topics : "") },
    }),
  }));
  const [codec, setCodec] = useState<Codec>();
  const action = useAction();
  const submit = () =>
    action.run(async () => {
      const integration = await integrationsApi.create({
        name: String(name.name).trim(),
        type,
        status: "active",
        settings_json: {
          ...("frames" in network && frameSources[network.frames]),
          ...settingsOf(form, values),
          ...(codec && { codecs: [{ codecId: codec.codecId }] }),
        },
      });
      const isAtThisBroker = integration.settings_json.mqtt?.brokerUrl === LOCAL_BROKER;
      // The page of the integration offers it again if it could not be created.
      if (isAtThisBroker && may("mqtt-clients:write"))
        await createBrokerAccess(integration).catch(() => undefined);
      toast("success", startedText(integration));
      route(`/integrations/${integration.integrationId}`, true);
    });
  return (
    <FormPage
      title={t("integrations.create")}
      above={[{ href: "/integrations", text: t("nav.integrations") }]}
      back={{ href: HREF, text: t("network.title") }}
      cancelHref="/integrations"
      submitText={t("integrations.create")}
      onSubmit={submit}
      busy={action.busy}
      error={action.error}
      isFixed={!may("integrations:write")}
    >
      <div class="panel flex flex-col gap-5 p-4 sm:p-5">
        <SchemaFields form={nameForm} values={name} onChange={setName} />
        <SchemaFields form={form} values={values} onChange={setValues} />
      </div>
      {(isLorawan(type) || "frames" in network) && (
        <CodecStep codec={codec} onSelect={setCodec} isNeeded={"frames" in network} />
      )}
    </FormPage>
  );
}

interface CodecStepProps {
  readonly codec: Codec | undefined;
  readonly onSelect: (codec: Codec) => void;
  /** True if the network server does not decode frames. */
  readonly isNeeded: boolean;
}

/** Selects the codec of the devices if the network server does not decode their frames. */
function CodecStep({ codec, onSelect, isNeeded }: CodecStepProps) {
  const { data } = useResource(codecIndexApi.status, []);
  return (
    <Section
      id="codec"
      title={t("codecIndex.title")}
      hint={t(isNeeded ? "codecIndex.framesHint" : "codecIndex.wizardHint")}
    >
      {codec && <p role="status">{t("codecIndex.wizardSelected", { name: codec.name })}</p>}
      {data?.index && <CodecIndexSearch onCreated={onSelect} />}
      {data?.index === null && (
        <p>
          {t("codecIndex.empty")}{" "}
          <a class="link" href="/integrations/codecs/index">
            {t("codecIndex.collection")}
          </a>
        </p>
      )}
    </Section>
  );
}
