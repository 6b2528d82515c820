import { ArrowRight, CircleCheck, Clock, Cpu, TriangleAlert } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { askReadiness, type HealthReason, readiness } from "../../platform/readiness.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { Section } from "../../ui/page/section.tsx";
import type { SettingsPageProps } from "../../ui/page/settings-page.types.ts";
import { OpenAlarms } from "../alarms/open-alarms.tsx";
import { DataFiles } from "./data-files.tsx";
import { GatewayReadings } from "./gateway-readings.tsx";
import { ProxyPage } from "./proxy-page.tsx";
import { type SharedDevices, systemApi } from "./system-api.ts";
import { TalkersSection } from "./talkers-section.tsx";
import { UpdateSection } from "./update-section.tsx";

/** Polling interval until the gateway's device exists: the first report, which creates it, may take a minute. */
const DEVICE_POLL_MS = 15_000;

/** Takes the place of an item's id in the address. */
const PROXY_PAGE = "proxy";

/** Clock problems that last until a time server or an owner confirms the time. */
const UNSET_CLOCK_CODES: ReadonlySet<string> = new Set([
  "system.clock_unset",
  "system.clock_ahead",
  "system.clock_unknown",
]);

/** The gateway itself, and its settings for reverse proxies. */
export function SystemPage({ id }: SettingsPageProps) {
  if (id === undefined) return <Gateway />;
  return id === PROXY_PAGE ? <ProxyPage /> : <NotFoundScreen />;
}

/** State of the gateway: version, problems, and the readings of its own device. */
function Gateway() {
  const health = useResource(systemApi.health, []);
  const device = useKept(systemApi.device, []);
  useEffect(() => {
    askReadiness();
  }, []);
  const isMissing = device.data === null;
  useRefresh(device.reload, isMissing ? DEVICE_POLL_MS : undefined);
  const isClockUnset = readiness.value?.warnings.some(({ code }) => UNSET_CLOCK_CODES.has(code));
  return (
    <div class="flex flex-col gap-5">
      <Section id="system-health" title={t("system.health")}>
        <Health />
        {isClockUnset && <ClockNote />}
        <Loaded of={health}>
          {(version) => (
            <p class="text-sm text-soft">
              {t("system.version", { version: version.version })}{" "}
              <span class="reading break-all">{version.commit}</span>
            </p>
          )}
        </Loaded>
        <PageLink href="/faults?scope=gateway" text={t("faults.openGateway")} />
        <PageLink href="/settings/log" text={t("system.openLog")} />
        <PageLink href={`/settings/system/${PROXY_PAGE}`} text={t("system.openProxy")} />
      </Section>
      <TalkersSection />
      <Loaded of={device}>
        {(gateway) =>
          gateway === null ? (
            <NoDevice />
          ) : (
            <>
              <OpenAlarms deviceId={gateway.deviceId} />
              <GatewayReadings key={gateway.deviceId} device={gateway} />
            </>
          )
        }
      </Loaded>
      <SharedDevicesSection />
      <UpdateSection />
      <DataFiles />
    </div>
  );
}

const PageLink = ({ href, text }: { href: string; text: string }) => (
  <a class="link link-hover inline-flex items-center gap-1 self-start text-sm" href={href}>
    {text}
    <ArrowRight size={14} aria-hidden="true" />
  </a>
);

function Health() {
  const state = readiness.value;
  if (state === undefined) return <p class="text-soft">{t("system.unknown")}</p>;
  const { reasons, warnings } = state;
  if (reasons.length + warnings.length === 0)
    return (
      <p class="flex items-center gap-2" role="status">
        <CircleCheck size={18} class="flex-none text-success" aria-hidden="true" />
        {t("system.good")}
      </p>
    );
  return (
    <ul class="flex flex-col gap-2">
      {reasons.map((reason) => (
        <Problem key={reason.code} reason={reason} severity="error" />
      ))}
      {warnings.map((reason) => (
        <Problem key={reason.code} reason={reason} severity="warning" />
      ))}
    </ul>
  );
}

function Problem({ reason, severity }: { reason: HealthReason; severity: "error" | "warning" }) {
  const color = severity === "error" ? "text-error" : "text-warning";
  return (
    <li class="flex items-start gap-2">
      <TriangleAlert size={18} class={`mt-0.5 flex-none ${color}`} aria-hidden="true" />
      <span class="min-w-0 wrap-anywhere">
        <strong class={color}>{t(`system.${severity}`)}</strong> {serverText(reason, reason.message)}
      </span>
    </li>
  );
}

const NoDevice = () => (
  <EmptyPanel icon={Cpu} title={t("system.noDevice")} hint={t("system.noDeviceHint")}>
    <a class="btn btn-primary" href="/devices?create=1">
      {t("devices.create")}
    </a>
  </EmptyPanel>
);

/** Shows both times while the clock is not set, and lets the user confirm the system's. */
function ClockNote() {
  const clock = useResource(systemApi.clock, []);
  const action = useAction();
  const accept = () =>
    action.run(async () => {
      await systemApi.confirmClock();
      await askReadiness();
      toast("success", t("system.clockConfirmed"));
    });
  const time = (iso: string) => formatDate(toMs(iso) ?? 0, "zoned");
  return (
    <div class="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Loaded of={clock}>
        {(times) => (
          <>
            <p class="text-sm">
              {t("system.clockTimes", { time: time(times.time), system: time(times.systemTime) })}
            </p>
            <Button icon={Clock} size={14} disabled={action.busy} onClick={accept}>
              {t("system.confirmClock")}
            </Button>
          </>
        )}
      </Loaded>
      <ErrorNote error={action.error} />
    </div>
  );
}

/** Selects the other sites that may see the gateway's key figures. Hidden if the gateway has one site only. */
function SharedDevicesSection() {
  const shared = useResource(systemApi.sharedDevices, []);
  if ((shared.data?.tenants.length ?? 0) === 0) return <Loaded of={shared} skeleton={null} />;
  return (
    <Section id="shared-device" title={t("system.shared")} hint={t("system.sharedHint")}>
      <Loaded of={shared}>{(sites) => <SitesForm shared={sites} onSaved={shared.set} />}</Loaded>
    </Section>
  );
}

function SitesForm({ shared, onSaved }: { shared: SharedDevices; onSaved: (shared: SharedDevices) => void }) {
  const [selected, setSelected] = useState(
    () => new Set(shared.tenants.filter(({ isAllowed }) => isAllowed).map(({ tenantId }) => tenantId)),
  );
  const action = useAction();
  const toggle = (tenantId: string, isSelected: boolean) => {
    const others = [...selected].filter((id) => id !== tenantId);
    setSelected(new Set(isSelected ? [...others, tenantId] : others));
  };
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      onSaved(await systemApi.shareDevice([...selected]));
      toast("success", t("system.sharedSaved"));
    });
  };
  return (
    <form class="flex flex-col gap-3" onSubmit={submit}>
      <fieldset class="flex max-h-80 flex-col gap-2 overflow-y-auto">
        <legend class="sr-only">{t("system.sharedSites")}</legend>
        {shared.tenants.map(({ tenantId, name }) => (
          <label key={tenantId} class="flex items-center gap-3">
            <input
              type="checkbox"
              class="checkbox checkbox-sm"
              checked={selected.has(tenantId)}
              onChange={(e) => toggle(tenantId, e.currentTarget.checked)}
            />
            <span class="min-w-0 wrap-anywhere">{name}</span>
          </label>
        ))}
      </fieldset>
      <ErrorNote error={action.error} />
      <div>
        <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
      </div>
    </form>
  );
}
