import type { ComponentChildren } from "preact";
import { GATEWAY_DEVICE_TYPE } from "../../../lib/devices/gateway-device.ts";
import type { DeviceRow, TelemetryValue } from "../../lib/api-types.ts";
import { comparableGroups, SERIES_MAX } from "../../lib/explore-examples.ts";
import { type ExploreView, exploreAddress, exploreHref } from "../../lib/explore-view.ts";
import { numericKeys } from "../../lib/main-keys.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName, metadataOf, resolveKeys } from "../../platform/key-metadata.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { DeviceState } from "../alarms/device-state.tsx";
import { nameOf } from "../devices/device-names.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { telemetryApi } from "../telemetry/telemetry-api.ts";
import { readLastView } from "./last-view.ts";

const DEVICES_LOADED = 50;
const DEVICES_SHOWN = 6;

type Values = Readonly<Record<string, TelemetryValue>>;

interface Example {
  readonly device: DeviceRow;
  readonly values: Values;
}

interface Examples {
  /** Devices that sent most recently, with their newest values. */
  readonly recent: readonly Example[];
  /** Devices of one type, with the newest values of the first. */
  readonly groups: ReadonlyArray<{ readonly devices: readonly DeviceRow[]; readonly values: Values }>;
  readonly last: ExploreView | undefined;
}

async function valuesOf({ deviceId }: DeviceRow): Promise<Values> {
  return (await telemetryApi.latest(deviceId)).values;
}

/** Returns the last view, if its devices still exist for this user. */
async function loadLastView(): Promise<ExploreView | undefined> {
  const view = readLastView();
  const deviceIds = view?.panes.flatMap(({ series }) => series.map(({ deviceId }) => deviceId)) ?? [];
  if (deviceIds.length === 0) return undefined;
  // Leaves out devices that are gone, or that only another user of this browser may see.
  const { devices } = await resolveKeys(deviceIds);
  const existing = new Set(devices.map(({ deviceId }) => deviceId));
  return deviceIds.every((id) => existing.has(id)) ? view : undefined;
}

async function loadExamples(): Promise<Examples> {
  const { rows } = await devicesApi.list({ limit: DEVICES_LOADED, offset: 0, sort: "-lastActivityAt" });
  // The readings of Lineside itself are on the System page.
  const devices = rows.filter(
    ({ lastActivityAt, deviceType }) => lastActivityAt !== null && deviceType !== GATEWAY_DEVICE_TYPE,
  );
  const byName = devices
    .filter(({ role }) => role === "DEVICE")
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const [recent, groups, last] = await Promise.all([
    Promise.all(
      devices.slice(0, DEVICES_SHOWN).map(async (device) => ({ device, values: await valuesOf(device) })),
    ),
    Promise.all(
      comparableGroups(byName).map(async (group) => ({
        devices: group,
        values: group[0] ? await valuesOf(group[0]) : {},
      })),
    ),
    loadLastView(),
  ]);
  return { recent, groups, last };
}

/** Content of an empty Explore: its purpose, and examples. */
export function ExploreStart() {
  const { data } = useResource(loadExamples, []);
  const hasNone = data?.recent.length === 0 && data.last === undefined;
  return (
    <section class="panel flex min-w-0 flex-col gap-5 p-5" aria-labelledby="explore-start">
      <div class="flex flex-col gap-1">
        <h2 id="explore-start" class="text-lg font-semibold">
          {t("explore.empty")}
        </h2>
        <p class="max-w-2xl text-soft">{t(hasNone ? "explore.noneHint" : "explore.emptyHint")}</p>
      </div>
      {hasNone && may("devices:write") && (
        <a class="btn btn-primary self-start" href="/devices?create=1">
          {t("devices.create")}
        </a>
      )}
      {data?.last && (
        <Group title={t("explore.continue")}>
          <ExampleLink href={exploreAddress(data.last)} {...textsOfView(data.last)} />
        </Group>
      )}
      <Comparisons groups={data?.groups ?? []} />
      <RecentDevices examples={data?.recent ?? []} />
    </section>
  );
}

function textsOfView({ panes }: ExploreView): { title: string; detail: string } {
  const series = panes.flatMap((pane) => pane.series);
  return {
    title: [...new Set(series.map(({ deviceId }) => nameOf(deviceId)))].join(", "),
    detail: [...new Set(series.map(({ deviceId, key }) => keyName(deviceId, key)))].join(", "),
  };
}

function Comparisons({ groups }: { groups: Examples["groups"] }) {
  const links = groups.flatMap(({ devices, values }) => {
    const [first] = devices;
    const key = first && numericKeys(values, (name) => metadataOf(first.deviceId, name), 1)[0];
    if (first === undefined || key === undefined) return [];
    return {
      href: exploreHref(devices.map(({ deviceId }) => ({ deviceId, key }))),
      title: devices.map(({ name }) => name).join(", "),
      detail: keyName(first.deviceId, key),
    };
  });
  if (links.length === 0) return null;
  return (
    <Group title={t("explore.compareDevices")}>
      {links.map((link) => (
        <ExampleLink key={link.href} {...link} />
      ))}
    </Group>
  );
}

function RecentDevices({ examples }: { examples: Examples["recent"] }) {
  const links = examples.flatMap(({ device, values }) => {
    const { deviceId, name, state } = device;
    const keys = numericKeys(values, (key) => metadataOf(deviceId, key), SERIES_MAX);
    if (keys.length === 0) return [];
    return {
      href: exploreAddress({
        panes: keys.map((key) => ({ kind: "lines", series: [{ deviceId, key }] })),
        window: { mode: "live", durationMs: 86_400_000 },
        aggregation: "none",
        compare: false,
      }),
      title: name,
      detail: keys.map((key) => keyName(deviceId, key)).join(", "),
      mark: <DeviceState deviceId={deviceId} state={state} bare />,
    };
  });
  if (links.length === 0) return null;
  return (
    <Group title={t("explore.recentDevices")}>
      {links.map((link) => (
        <ExampleLink key={link.href} {...link} />
      ))}
    </Group>
  );
}

const Group = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="flex flex-col gap-2">
    <h3 class="panel-label">{title}</h3>
    <ul class="grid gap-2 sm:grid-cols-2" aria-label={title}>
      {children}
    </ul>
  </div>
);

const ExampleLink = (props: { href: string; title: string; detail: string; mark?: ComponentChildren }) => (
  <li class="min-w-0">
    <a
      class="flex h-full items-start gap-3 rounded-field border border-base-300 px-3 py-2 hover:border-primary"
      href={props.href}
    >
      {props.mark && <span class="pt-1">{props.mark}</span>}
      <span class="min-w-0">
        <span class="block truncate font-medium">{props.title}</span>
        <span class="line-clamp-2 text-sm text-soft">{props.detail}</span>
      </span>
    </a>
  </li>
);
