import { Plug } from "lucide-preact";
import { useRef } from "preact/hooks";
import { GATEWAY_DEVICE_TYPE } from "../../../lib/devices/gateway-device.ts";
import { limitLevel } from "../../../lib/keys/key-metadata.ts";
import type { DeviceDetail } from "../../lib/api-types.ts";
import { dataHref } from "../../lib/data-href.ts";
import { groupedKeys, type KeyGroup, PLAIN_KEYS_MAX } from "../../lib/main-keys.ts";
import { formatDate, formatReading, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keysOfDevice, metadataOf } from "../../platform/key-metadata.ts";
import { may } from "../../platform/session.ts";
import { limitsText } from "../../ui/form/limits-text.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { later } from "../../ui/page/later.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Age } from "../../ui/state/age.tsx";
import { AlarmLink } from "../../ui/state/alarm-link.tsx";
import { levelClass } from "../../ui/state/severity-colors.ts";
import { StateDot } from "../../ui/state/state-dot.tsx";
import { OpenAlarms } from "../alarms/open-alarms.tsx";
import { TypeDashboardButton } from "../dashboards/type-dashboard-button.tsx";
import { nameOf } from "../devices/device-names.ts";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { Spark } from "../telemetry/spark.tsx";
import { type LatestValues, useLatestValues } from "../telemetry/use-latest-values.ts";
import { useFavorites } from "./favorite-values.ts";
import { TILES_MAX, ValueTable } from "./value-table.tsx";

const SuggestedUnits = later(
  () => import("./suggested-units-panel.tsx"),
  (part) => part.SuggestedUnits,
);

const RECENT = { spanMs: 15 * 60_000, pointsMax: 120 };

export function OverviewTab({ device }: DeviceTabProps) {
  const { favorites, toggle } = useFavorites(device.profileId);
  const { latest, version, first, curves } = useLatestValues(device.deviceId, {
    ...RECENT,
    shown: (keys) => (keys.length > TILES_MAX ? keys.filter((key) => favorites.has(key)) : keys),
  });
  const values = Object.fromEntries([...latest.values].map(([key, { value }]) => [key, value]));
  const metadata = keysOfDevice(device.deviceId);
  const groups = groupedKeys(values, metadata);
  const isTable = latest.values.size > TILES_MAX;
  const unnamed = Object.keys(values).filter((key) => metadata !== undefined && !metadata.has(key));
  // Stays when the last value has a unit: one click takes them back.
  const hadUnnamed = useRef(false);
  hadUnnamed.current ||= unnamed.length > 0;
  const isEmpty = latest.values.size === 0;
  return (
    <div class="flex flex-col gap-5">
      <Loaded of={first}>{() => isEmpty && <NoData deviceId={device.deviceId} />}</Loaded>
      <ErrorNote error={curves.error} onRetry={curves.reload} />
      {!isEmpty && <OpenAlarms deviceId={device.deviceId} isGateway={device.role === "GATEWAY"} />}
      {hadUnnamed.current && may("profiles:write") && device.deviceType !== GATEWAY_DEVICE_TYPE && (
        <SuggestedUnits profileId={device.profileId} latest={latest} unnamed={unnamed} />
      )}
      {shownGroups(groups, isTable ? favorites : undefined).map((group) => (
        <ValueGroup
          key={group.name ?? group.kind}
          group={group}
          isDense={latest.values.size > PLAIN_KEYS_MAX}
          deviceId={device.deviceId}
          latest={latest}
          version={version}
        />
      ))}
      {isTable && (
        <ValueTable
          deviceId={device.deviceId}
          keys={groups.flatMap(({ keys }) => keys)}
          latest={latest}
          version={version}
          favorites={favorites}
          onToggle={toggle}
        />
      )}
      {!isEmpty && <Shortcuts device={device} />}
      <Facts device={device} />
    </div>
  );
}

/** Returns the groups shown as tiles; for a device with a table, the favorites. */
function shownGroups(
  groups: readonly KeyGroup[],
  favorites: ReadonlySet<string> | undefined,
): readonly KeyGroup[] {
  if (favorites === undefined) return groups;
  const keys = groups.flatMap((group) => group.keys).filter((key) => favorites.has(key));
  return keys.length === 0 ? [] : [{ name: t("device.favorites"), keys }];
}

/** Links to the usual next steps for the values of a device. */
function Shortcuts(props: { device: DeviceDetail }) {
  const { deviceId, deviceType, profileId, targetDashboardId } = props.device;
  return (
    <div class="flex flex-wrap items-center gap-x-5 gap-y-2">
      <a class="link text-sm text-soft" href={`/devices/${deviceId}/data?window=24h`}>
        {t("device.lastDay")}
      </a>
      {targetDashboardId === undefined && (
        <TypeDashboardButton
          deviceType={deviceType}
          text={t("dashboards.createForType", { type: deviceType })}
        />
      )}
      {may("profiles:write") && (
        <a class="link text-sm text-soft" href={`/settings/profiles/${profileId}?view=values`}>
          {t("device.namesAndUnits")}
        </a>
      )}
    </div>
  );
}

function NoData({ deviceId }: { deviceId: string }) {
  return (
    <EmptyPanel icon={Plug} title={t("device.noData")} hint={t("device.noDataHint")}>
      <a class="btn btn-primary" href={`/devices/${deviceId}/connect`}>
        {t("device.connectIt")}
      </a>
    </EmptyPanel>
  );
}

interface GroupProps {
  readonly deviceId: string;
  readonly latest: LatestValues;
  /** Increases with every message; `latest` itself is the same object. */
  readonly version: number;
  /** True for many values with smaller cards. */
  readonly isDense: boolean;
}

function ValueGroup({ group: { name, kind, keys }, ...card }: GroupProps & { group: KeyGroup }) {
  const title = name ?? (kind && t(`device.values.${kind}`));
  const columns = card.isDense
    ? "md:grid-cols-3 xl:grid-cols-5 3xl:grid-cols-6"
    : "lg:grid-cols-3 lg:gap-4 3xl:grid-cols-5";
  return (
    <section class="flex flex-col gap-2.5" aria-label={title}>
      {title !== undefined && <h2 class="panel-label">{title}</h2>}
      <div class={`grid grid-cols-2 gap-3 ${columns}`}>
        {keys.map((key) => (
          <ValueCard key={key} name={key} {...card} />
        ))}
      </div>
    </section>
  );
}

/** Returns the text size of a value: larger for short ones. */
function sizeOf(text: string, isDense: boolean): string {
  if (isDense) return text.length > 14 ? "text-base" : "text-xl";
  return text.length > 11 ? "text-lg" : "text-2xl sm:text-3xl";
}

function ValueCard({ name, deviceId, latest, isDense }: GroupProps & { name: string }) {
  const entry = latest.values.get(name);
  if (!entry) return null;
  const metadata = metadataOf(deviceId, name);
  const text = formatReading(entry.value, metadata);
  const level = limitLevel(entry.value, metadata?.limits);
  const limits = limitsText(metadata);
  return (
    <div class="relative min-w-0">
      <a
        class={`panel flex h-full min-w-0 flex-col gap-1 hover:border-primary ${isDense ? "p-3" : "p-4"}`}
        href={dataHref(deviceId, name)}
      >
        <span
          class={`pr-6 text-sm font-medium text-soft ${isDense ? "line-clamp-2" : "truncate"}`}
          title={name}
        >
          {metadata?.name ?? name}
        </span>
        <span
          class={`reading flex items-center gap-2 font-medium ${levelClass(level, "text")} ${sizeOf(text, isDense)}`}
        >
          <StateDot value={entry.value} metadata={metadata} />
          <span class={text.length > 11 ? "line-clamp-2 break-words" : "whitespace-nowrap"}>{text}</span>
          {level !== "normal" && <span class="sr-only">{t(`level.${level}`)}</span>}
        </span>
        {limits !== "" && <span class="truncate text-sm text-soft">{limits}</span>}
        <span
          class={`mt-auto flex ${isDense ? "flex-col gap-1" : "min-h-10 flex-wrap items-end justify-between gap-x-3"}`}
        >
          <span class="flex-none text-sm text-soft">
            <Age ts={entry.ts} />
          </span>
          <Spark
            buffer={latest.buffer(name)}
            spanMs={RECENT.spanMs}
            class={isDense ? "w-full" : "w-full sm:w-32"}
          />
        </span>
      </a>
      <AlarmLink deviceId={deviceId} name={name} class="absolute top-3 right-2" />
    </div>
  );
}

function Facts({ device }: { device: DeviceDetail }) {
  const connected = toMs(device.lastConnectedAt);
  const created = toMs(device.createdAt);
  const facts: [string, string][] = [
    [t("common.type"), device.deviceType ?? "–"],
    [t("common.role"), device.role === "GATEWAY" ? t("common.gateway") : t("common.device")],
    // Devices that only send by HTTP, or through a gateway, have no connection of their own.
    ...(connected ? [[t("device.lastConnected"), formatDate(connected, "zoned")] as [string, string]] : []),
    [t("common.created"), created ? formatDate(created, "zoned") : "–"],
    [t("device.id"), device.deviceId],
  ];
  return (
    <dl class="panel grid gap-x-6 gap-y-3 p-4 sm:grid-cols-2 lg:grid-cols-3">
      {facts.map(([label, value]) => (
        <div key={label} class="min-w-0">
          <dt class="panel-label">{label}</dt>
          <dd class="text-sm break-words">{value}</dd>
        </div>
      ))}
      {device.parentDeviceId && (
        <div class="min-w-0">
          <dt class="panel-label">{t("common.gateway")}</dt>
          <dd class="text-sm break-words">
            <a class="link" href={`/devices/${device.parentDeviceId}/children`}>
              {nameOf(device.parentDeviceId)}
            </a>
            {device.childName && device.childName !== device.name && (
              <span class="reading text-soft"> {device.childName}</span>
            )}
          </dd>
        </div>
      )}
      {(device.tags?.length ?? 0) > 0 && (
        <div>
          <dt class="panel-label">{t("field.device.tags")}</dt>
          <dd class="flex flex-wrap gap-1">
            {device.tags?.map((tag) => (
              <span key={tag} class="badge badge-sm border-base-300 bg-base-200">
                {tag}
              </span>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}
