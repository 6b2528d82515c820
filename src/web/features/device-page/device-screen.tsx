import { LayoutDashboard } from "lucide-preact";
import { lazy, useLocation, useRoute } from "preact-iso";
import { DEVICE_TABS, oneOf } from "../../../lib/console/console-routes.ts";
import { withActive } from "../../../lib/devices/device-state.ts";
import type { DeviceDetail } from "../../lib/api-types.ts";
import type { RealtimeMessage } from "../../lib/realtime-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { loadPart } from "../../platform/load-part.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { isMissing, Loaded } from "../../ui/page/loaded.tsx";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { Tabs } from "../../ui/page/tabs.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import { DeviceState } from "../alarms/device-state.tsx";
import { AttributesTab } from "../attributes/attributes-tab.tsx";
import { CommandsTab } from "../commands/commands-tab.tsx";
import { ConnectTab } from "../connect/connect-tab.tsx";
import { nameOf } from "../devices/device-names.ts";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { ChildrenTab } from "../gateways/children-tab.tsx";
import { MaintenanceBanner, MaintenanceButton } from "../maintenance/maintenance.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { KnownCommands } from "./known-commands.tsx";
import { MessagesTab } from "./messages-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";

const DataTab = lazy(() => loadPart(() => import("../telemetry/data-tab.tsx")).then((m) => m.DataTab));

type TabId = (typeof DEVICE_TABS)[number];

export function DeviceScreen() {
  const { params } = useRoute();
  const deviceId = params.deviceId ?? "";
  const tab = oneOf(DEVICE_TABS, params.deviceTab || DEVICE_TABS[0]);
  const resource = useResource(() => devicesApi.get(deviceId), [deviceId]);
  const { route } = useLocation();
  useLive({ topics: ["devices"], deviceIds: [deviceId] }, (message) => {
    if (follow(resource, deviceId, message) !== "deleted") return;
    toast("success", t("common.nameIsDeleted", { name: resource.data?.name ?? deviceId }));
    route("/devices", true);
  });
  if (isMissing(resource.error) || tab === undefined) return <NotFoundScreen />;
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[110rem] lg:p-8">
      <DeviceHead device={resource.data} deviceId={deviceId} tab={tab} onChanged={resource.reload} />
      <Loaded of={resource}>
        {(device) => <TabContent key={deviceId} tab={tab} device={device} resource={resource} />}
      </Loaded>
    </div>
  );
}

/** Applies a live message to the displayed device. */
function follow(
  resource: Resource<DeviceDetail>,
  deviceId: string,
  message: RealtimeMessage,
): "deleted" | "kept" {
  const device = resource.data;
  if (message.type === "snapshot") {
    const state = message.devices.find((d) => d.deviceId === deviceId);
    if (device && state && state.active !== device.active)
      resource.set(withActive(device, state.active, state.lastActivityAt));
    return "kept";
  }
  if (message.topic !== "devices" || message.deviceId !== deviceId) return "kept";
  if (message.event === "deleted") return "deleted";
  if (message.event === "updated" || message.event === "maintenance") resource.reload();
  else if (device && message.event === "state")
    resource.set(withActive(device, message.active, message.lastActivityAt));
  return "kept";
}

/** Returns the gateway of a device, or its type. */
const ownerOf = (device: DeviceDetail | undefined) =>
  device?.parentDeviceId
    ? { href: `/devices/${device.parentDeviceId}/children`, text: nameOf(device.parentDeviceId) }
    : { text: device?.deviceType ?? "" };

function DeviceHead({
  device,
  deviceId,
  tab,
  onChanged,
}: {
  device: DeviceDetail | undefined;
  deviceId: string;
  tab: TabId;
  onChanged: () => void;
}) {
  const base = `/devices/${deviceId}`;
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-col gap-1">
        <Trail steps={[{ href: "/devices", text: t("nav.devices") }, ownerOf(device)]} />
        <PageHead
          title={device?.name ?? "…"}
          detail={device?.label && <p class="text-soft">{device.label}</p>}
        >
          {device && <DeviceState deviceId={deviceId} state={device.state} />}
          {device && <DashboardLink device={device} />}
          {device && <MaintenanceButton device={device} onChanged={onChanged} />}
        </PageHead>
      </div>
      {device && <MaintenanceBanner device={device} onChanged={onChanged} />}
      <Tabs
        label={t("device.tabs")}
        current={tab}
        items={DEVICE_TABS.filter((id) => id !== "children" || device?.role === "GATEWAY").map((id) => ({
          id,
          text: t(`tab.${id}`),
          href: id === "overview" ? base : `${base}/${id}`,
        }))}
      />
    </div>
  );
}

function TabContent({ tab, ...props }: DeviceTabProps & { tab: TabId }) {
  switch (tab) {
    case "overview":
      return <OverviewTab {...props} />;
    case "children":
      return <ChildrenTab {...props} />;
    case "data":
      return <DataTab {...props} />;
    case "attributes":
      return <AttributesTab {...props} />;
    case "commands":
      return (
        <CommandsTab
          {...props}
          known={(sent, onSent) => <KnownCommands device={props.device} sent={sent} onSent={onSent} />}
        />
      );
    case "connect":
      return <ConnectTab {...props} />;
    case "messages":
      return <MessagesTab {...props} />;
    case "history":
      return <HistoryTab {...props} />;
    case "settings":
      return <SettingsTab {...props} />;
  }
}

function DashboardLink({ device: { deviceId, targetDashboardId, targetStateId } }: { device: DeviceDetail }) {
  if (targetDashboardId === undefined) return null;
  const query = new URLSearchParams({ device: deviceId, ...(targetStateId && { state: targetStateId }) });
  return (
    <a class="btn btn-sm" href={`/dashboards/${targetDashboardId}?${query}`}>
      <LayoutDashboard size={16} aria-hidden="true" />
      {t("common.dashboard")}
    </a>
  );
}
