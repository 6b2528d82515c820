import { Cable, Radar } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may, me } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { LOCAL_BROKER, settingsForm, settingsOf, topicsOf, valuesOf } from "./integration-form.tsx";
import { type DiscoveredNetwork, integrationsApi } from "./integrations-api.ts";
import { networks } from "./network-list.ts";
import { startedText } from "./networks.ts";

const REFRESH_MS = 5_000;

/** Offers integrations for devices that already publish to this gateway. */
export function DiscoveredNetworks({ onConnected }: { onConnected?: () => void }) {
  const isOffered = may("integrations:write") && me.value?.hasGlobalDeviceAccess === true;
  return isOffered ? <Offers onConnected={onConnected} /> : null;
}

function Offers({ onConnected }: { onConnected: (() => void) | undefined }) {
  const found = useResource(integrationsApi.discovered, []);
  useRefresh(found.reload, REFRESH_MS);
  const connected = () => {
    found.reload();
    onConnected?.();
  };
  return (
    <>
      {found.data?.networks.map((network) => (
        <Offer key={network.format} network={network} onConnected={connected} />
      ))}
    </>
  );
}

/** Creates an integration with the default topics of the devices; a new device is created for each. */
async function connect(format: DiscoveredNetwork["format"]): Promise<void> {
  const network = networks.find(({ id }) => id === format);
  if (network === undefined || !("topics" in network)) return;
  const values = {
    ...valuesOf({}),
    autoCreateDevice: true,
    mqtt: { brokerUrl: LOCAL_BROKER, topicFilter: topicsOf(network.topics) },
  };
  const integration = await integrationsApi.create({
    name: t(`network.${format}`),
    type: "MQTT",
    status: "active",
    settings_json: { format, ...settingsOf(settingsForm("MQTT", { format }), values) },
  });
  toast("success", startedText(integration));
}

function Offer({ network, onConnected }: { network: DiscoveredNetwork; onConnected: () => void }) {
  const { format, devices, deviceCount } = network;
  const action = useAction();
  const name = t(`network.${format}`);
  const more = deviceCount - devices.length;
  return (
    <section class="panel flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3" aria-label={name}>
      <Radar size={18} class="flex-none text-primary" aria-hidden="true" />
      <p class="min-w-48 flex-1">
        {t("discovered.text", { name })}{" "}
        <span class="text-soft">
          {devices.join(", ")}
          {more > 0 && ` ${t("discovered.more", { n: more })}`}
        </span>
      </p>
      <Button
        icon={Cable}
        class="btn btn-primary btn-sm"
        disabled={action.busy}
        onClick={() => action.run(() => connect(format).then(onConnected))}
      >
        {t("discovered.connect", { name })}
      </Button>
      <ErrorNote error={action.error} />
    </section>
  );
}
