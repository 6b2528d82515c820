import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { me } from "../../platform/session.ts";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import type { Fault, FaultSubject } from "./faults-api.ts";

/** Page for resolving a problem of a subject. */
const PAGES: Record<FaultSubject["kind"], ((id: string) => string) | undefined> = {
  device: (id) => `/devices/${id}/messages`,
  user: (id) => `/settings/users/${id}`,
  api_key: () => "/settings/api-keys",
  mqtt_client: (id) => `/mqtt-clients/clients/${id}`,
  integration: (id) => `/integrations/${id}/messages`,
  pipeline: (id) => `/pipelines/${id}/webhooks`,
  alarm: undefined,
  notification: () => "/settings/notifications",
  uplink: (id) => `/uplinks/${id}`,
  modbus_connection: (id) => `/modbus/${id}`,
  s7_connection: (id) => `/s7/${id}`,
  bacnet_connection: (id) => `/bacnet/${id}`,
  opcua_connection: (id) => `/opcua/${id}`,
  job: (id) => `/scheduler/${id}`,
  outbox: () => "/settings/outbox",
};

/** Returns the style of a time: time of day for today, date for earlier days. */
const styleOf = (ts: number) => (formatDate(ts, "day") === formatDate(serverNow(), "day") ? "time" : "day");

/** A fault: its subject, its frequency, and the remedy. */
export function FaultItem({ fault, isNamed }: { fault: Fault; isNamed: boolean }) {
  const { source, reason, protocol, port, address, client, count, hint, where, sample } = fault;
  const firstAt = toMs(fault.firstAt) ?? 0;
  const foreignSite = fault.tenantId === me.value?.tenantId ? undefined : fault.tenantName;
  const portText = port === undefined ? undefined : t("faults.port", { port: String(port) });
  const details = [t(`faultSource.${source}`), protocol, portText, where, client, foreignSite];
  return (
    <TimelineItem
      at={toMs(fault.lastAt) ?? 0}
      aside={
        <>
          <span title={formatDate(firstAt, "zoned")}>{plural("faults.times", count)}</span>
          {count > 1 && ` ${t("common.sinceTime", { time: formatDate(firstAt, styleOf(firstAt)) })}`}
        </>
      }
    >
      {isNamed && (
        <p>
          <Name fault={fault} />{" "}
          {address !== undefined && <span class="text-soft">{t("faults.from", { address })}</span>}
        </p>
      )}
      <p>{serverText(reason, reason.message)}</p>
      {hint && <p class="text-sm">{serverText(hint, hint.message)}</p>}
      <p class="text-sm text-soft">
        {details.filter((part) => part !== undefined && part !== "").join(" · ")}
      </p>
      {sample && <code class="reading text-sm break-all">{sample}</code>}
    </TimelineItem>
  );
}

/** Name of the subject of a fault, with a link if it belongs to the site of the reader. */
function Name({ fault }: { fault: Fault }) {
  const { subject, identityKind, tenantId, tenantName, source } = fault;
  const { identity = "" } = identityKind === "tenant" ? { identity: tenantName ?? fault.identity } : fault;
  if (identityKind === "others") return <strong>{t("faults.others")}</strong>;
  const name = subject?.name ?? (identity || (subject && t(`faultSubject.${subject.kind}`)));
  const href = tenantId === me.value?.tenantId && subject ? PAGES[subject.kind]?.(subject.id) : undefined;
  if (name === undefined)
    return (
      <strong>{identityKind === undefined ? t(`faultSource.${source}`) : t("faults.noIdentity")}</strong>
    );
  return href === undefined ? (
    <strong class="reading">{name}</strong>
  ) : (
    <a class="link font-semibold" href={href}>
      {name}
    </a>
  );
}
