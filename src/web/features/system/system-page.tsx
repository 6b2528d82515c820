import { ArrowRight, CircleCheck, Cpu, TriangleAlert } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { askReadiness, type HealthReason, readiness } from "../../platform/readiness.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { EmptyPanel } from "../../ui/empty.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { Section } from "../../ui/section.tsx";
import type { SettingsPageProps } from "../../ui/settings-page.types.ts";
import { OpenAlarms } from "../alarms/open-alarms.tsx";
import { ClockNote } from "./clock-note.tsx";
import { DataFiles } from "./data-files.tsx";
import { GatewayReadings } from "./gateway-readings.tsx";
import { ProxyPage } from "./proxy-page.tsx";
import { SharedDevicesSection } from "./shared-devices-section.tsx";
import { systemApi } from "./system-api.ts";
import { TalkersSection } from "./talkers-section.tsx";
import { UpdateSection } from "./update-section.tsx";

/** The gateway reports once a minute, and its device appears with the first report. */
const DEVICE_POLL_MS = 15_000;

/** Stands where other addresses have the id of an item. */
const PROXY_PAGE = "proxy";

/** Clock problems that last until a time server or an owner confirms the time. */
const UNSET_CLOCK_CODES: ReadonlySet<string> = new Set([
  "system.clock_unset",
  "system.clock_ahead",
  "system.clock_unknown",
]);

/** The gateway itself, and the settings about reverse proxies. */
export function SystemPage({ id }: SettingsPageProps) {
  if (id === undefined) return <Gateway />;
  return id === PROXY_PAGE ? <ProxyPage /> : <NotFoundScreen />;
}

/** State of the gateway itself: version, problems, and the readings of its own device. */
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
      <TalkersSection />
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
  const colour = severity === "error" ? "text-error" : "text-warning";
  return (
    <li class="flex items-start gap-2">
      <TriangleAlert size={18} class={`mt-0.5 flex-none ${colour}`} aria-hidden="true" />
      <span class="min-w-0 wrap-anywhere">
        <strong class={colour}>{t(`system.${severity}`)}</strong> {serverText(reason, reason.message)}
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
