import { useState } from "preact/hooks";
import type { DeviceDetail, Rejection, TelemetryValue } from "../../lib/api-types.ts";
import { ownAddress } from "../../platform/base.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName, metadataOf } from "../../platform/key-metadata.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Age } from "../../ui/state/age.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { ThingFaults } from "../faults/fault-list.tsx";
import { telemetryApi } from "../telemetry/telemetry-api.ts";
import { connectivityApi } from "./connectivity-api.ts";
import { type Credentials, credentialsApi } from "./credentials-api.ts";
import { CredentialsPanel } from "./credentials-panel.tsx";
import { SHELL_IDS, type ShellId } from "./shells.ts";
import {
  type Endpoint,
  endpointFrom,
  hasTls,
  isCommand,
  needsTls,
  SNIPPET_NAMES,
  type SnippetId,
  type SnippetSignIn,
  snippet,
  snippetsFor,
} from "./snippets.ts";

const SHELL_NAMES: Readonly<Record<ShellId, string>> = {
  posix: "Linux, macOS",
  cmd: "Windows cmd",
  powershell: "PowerShell",
};

/** Time after its newest value during which a device counts as sending, regardless of its state. */
const FRESH_MS = 60_000;

export function ConnectTab({ device, resource }: DeviceTabProps) {
  const { deviceId } = device;
  const catalog = useResource(connectivityApi.catalog, []);
  const mayConnect = device.credentials !== undefined;
  const credentials = useResource(
    async () => (mayConnect ? credentialsApi.get(deviceId) : undefined),
    [deviceId, mayConnect],
  );
  const [secure, setSecure] = useState(location.protocol === "https:");
  const transports = catalog.data?.transports ?? [];
  const existing = credentials.data;
  const isPlainOff = needsTls(transports);
  const isSecure = isPlainOff || (hasTls(transports) && (secure || existing?.type === "X509"));
  const page = { hostname: location.hostname, origin: ownAddress() };
  const endpoint =
    existing && endpointFrom(transports, page, { signIn: signInOf(existing), secure: isSecure });
  const change = (next: Credentials) => {
    credentials.set(next);
    const { type, token } = next;
    resource.set({ ...device, credentials: { type, ...(token !== undefined && { token }) } });
  };
  return (
    <div class="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
      <FirstMessage device={device} />
      <section class="panel flex min-w-0 flex-col gap-4 p-4 lg:col-start-1 lg:row-span-2 lg:row-start-1">
        <div>
          <h2 class="font-semibold">{t("connect.title")}</h2>
          <p class="text-sm text-soft">{t("connect.hint")}</p>
        </div>
        <Loaded of={catalog} />
        <Loaded of={credentials} />
        {!mayConnect && <p>{t("connect.noToken")}</p>}
        {catalog.data && endpoint && <Examples endpoint={endpoint} />}
        {catalog.data && endpoint && (
          <TlsChoice
            offered={hasTls(transports)}
            needed={existing.type === "X509" || isPlainOff}
            selected={isSecure}
            onChange={setSecure}
          />
        )}
      </section>
      {endpoint && catalog.data && (
        <CredentialsPanel deviceId={deviceId} endpoint={endpoint} credentials={existing} onChange={change} />
      )}
      <ThingFaults kind="device" id={deviceId} />
    </div>
  );
}

function signInOf({ type, token = "", username, clientId }: Credentials): SnippetSignIn {
  if (type === "ACCESS_TOKEN") return { kind: "token", token };
  if (type === "X509") return { kind: "certificate" };
  return { kind: "basic", ...(username && { username }), ...(clientId && { clientId }) };
}

function Examples({ endpoint }: { endpoint: Endpoint }) {
  const [selected, setSelected] = useState<SnippetId>("mosquitto");
  const offered = snippetsFor(endpoint.signIn);
  const shown = offered.includes(selected) ? selected : "mosquitto";
  const name = SNIPPET_NAMES[shown];
  return (
    <>
      <Segments
        label={t("connect.tools")}
        items={offered.map((id) => ({ id, text: SNIPPET_NAMES[id] }))}
        current={shown}
        onSelect={setSelected}
      />
      {isCommand(shown) ? (
        <CommandSnippet name={name} textFor={(shell) => snippet(shown, endpoint, shell)} />
      ) : (
        <Snippet name={name} text={snippet(shown, endpoint)} />
      )}
    </>
  );
}

/** Selects TLS or plain, if both are available. Explains why a device that requires TLS cannot connect. */
function TlsChoice(props: {
  offered: boolean;
  needed: boolean;
  selected: boolean;
  onChange: (secure: boolean) => void;
}) {
  if (!props.offered)
    return props.needed ? (
      <p role="alert" class="text-sm text-error">
        {t("connect.noTls")}
      </p>
    ) : null;
  return (
    <label class="flex cursor-pointer items-start gap-3">
      <input
        type="checkbox"
        class="checkbox checkbox-sm mt-0.5 flex-none"
        checked={props.selected}
        disabled={props.needed}
        onChange={(e) => props.onChange(e.currentTarget.checked)}
      />
      <span>
        {t("connect.tls")}
        <span class="block text-sm text-soft">{t("connect.tlsHint")}</span>
      </span>
    </label>
  );
}

/** Command with a selection of its shell. */
export function CommandSnippet({ name, textFor }: { name: string; textFor: (shell: ShellId) => string }) {
  const [shell, setShell] = useState<ShellId>(
    navigator.userAgent.includes("Windows") ? "powershell" : "posix",
  );
  return (
    <div class="flex min-w-0 flex-col gap-3">
      <Segments
        label={t("connect.shell")}
        items={SHELL_IDS.map((id) => ({ id, text: SHELL_NAMES[id] }))}
        current={shell}
        onSelect={setShell}
      />
      <Snippet name={name} text={textFor(shell)} />
    </div>
  );
}

function Snippet({ name, text }: { name: string; text: string }) {
  return (
    <div class="min-w-0 overflow-hidden rounded-field border border-base-300 bg-base-200">
      <div class="flex items-center justify-between border-b border-base-300 py-1.5 pr-1.5 pl-4">
        <span class="panel-label">{name}</span>
        <CopyButton text={text} label={t("common.copyExample")} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section class="overflow-x-auto p-4" tabIndex={0} aria-label={t("connect.example")}>
        <pre class="text-sm leading-relaxed">
          <code data-testid="snippet">{text}</code>
        </pre>
      </section>
    </div>
  );
}

interface Seen {
  readonly ts: number;
  readonly values: Record<string, TelemetryValue>;
}

/** Texts for a gateway that has only sent values of its children. */
const ofChildren = ({ role, active, lastActivityAt }: DeviceDetail): Seen | undefined =>
  role === "GATEWAY" && active && lastActivityAt ? { ts: Date.parse(lastActivityAt), values: {} } : undefined;

/** Waits for the device: turns green after the first message, and shows the reason of a refusal. */
function FirstMessage({ device }: { device: DeviceDetail }) {
  const { deviceId, active } = device;
  const latest = useResource(() => telemetryApi.latest(deviceId), [deviceId]);
  const [lastSeen, setLastSeen] = useState<Seen | undefined>(undefined);
  const [refused, setRefused] = useState<Rejection | undefined>(undefined);
  useLive({ topics: ["telemetry", "events"], deviceIds: [deviceId] }, (message) => {
    if (message.type === "snapshot") {
      const latestSnapshot = message.telemetry.find((s) => s.deviceId === deviceId && s.ts > 0);
      if (latestSnapshot) setLastSeen((h) => (h && h.ts >= latestSnapshot.ts ? h : latestSnapshot));
    } else if (message.topic === "telemetry") {
      setRefused(undefined);
      setLastSeen({ ts: Math.min(message.ts, serverNow()), values: message.values });
    } else if (message.topic === "events" && message.event === "rejected") setRefused(message.rejection);
  });
  const own = lastSeen ?? (latest.data && latest.data.ts > 0 ? latest.data : undefined);
  const seen = own ?? ofChildren(device);
  if (refused) return <Refused rejection={refused} deviceId={deviceId} />;
  if (!seen) return <Waiting />;
  // The message itself comes before the word that the device is active again.
  const receiving = active || serverNow() - seen.ts < FRESH_MS;
  return (
    <section
      class={`panel min-w-0 border-l-4 p-4 ${receiving ? "border-l-success" : "border-l-base-300"}`}
      role="status"
      data-testid="connect-status"
      data-state={receiving ? "receiving" : "silent"}
    >
      <h2 class="flex items-center gap-3 font-semibold">
        <span class={`lamp ${receiving ? "lamp-on" : ""}`} aria-hidden="true" />
        {receiving ? t("connect.receiving") : t("connect.silent")}
      </h2>
      <p class="mt-1 text-sm text-soft">
        {t("connect.lastMessage")} <Age ts={seen.ts} />
      </p>
      <dl
        key={seen.ts}
        class="flash -mx-2 mt-3 grid max-h-64 grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 overflow-y-auto rounded-field px-2"
      >
        {Object.entries(seen.values).map(([key, value]) => (
          <div key={key} class="contents">
            <dt class="truncate text-sm text-soft">{keyName(deviceId, key)}</dt>
            <dd class="reading max-w-40 truncate text-right">
              {formatReading(value, metadataOf(deviceId, key))}
            </dd>
          </div>
        ))}
      </dl>
      <a class="btn btn-sm mt-4" href={own ? `/devices/${deviceId}/data` : `/devices/${deviceId}/children`}>
        {t(own ? "connect.seeChart" : "tab.children")}
      </a>
    </section>
  );
}

function Waiting() {
  return (
    <section
      class="panel min-w-0 border-l-4 border-l-accent p-4"
      role="status"
      data-testid="connect-status"
      data-state="waiting"
    >
      <h2 class="flex items-center gap-3 font-semibold">
        <span class="lamp lamp-wait" aria-hidden="true" />
        {t("connect.waiting")}
      </h2>
      <p class="mt-1 text-sm text-soft">{t("connect.waitingHint")}</p>
      <a
        class="link mt-3 inline-block text-sm"
        href="/manual/troubleshooting#a-device-does-not-appear-or-stay"
      >
        {t("connect.help")}
      </a>
    </section>
  );
}

function Refused({ rejection, deviceId }: { rejection: Rejection; deviceId: string }) {
  return (
    <section
      class="panel min-w-0 border-l-4 border-l-error p-4"
      role="status"
      data-testid="connect-status"
      data-state="refused"
    >
      <h2 class="flex items-center gap-3 font-semibold">
        <span class="lamp lamp-bad" aria-hidden="true" />
        {t("connect.refused")}
      </h2>
      <p class="mt-1 text-sm break-words">{serverText(rejection, rejection.reason)}</p>
      <p class="reading mt-1 text-sm break-all text-soft">{rejection.where}</p>
      <a class="btn btn-sm mt-4" href={`/devices/${deviceId}/messages`}>
        {t("connect.seeMessages")}
      </a>
    </section>
  );
}
