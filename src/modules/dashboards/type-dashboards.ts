import { detail } from "../../lib/core/domain-error.ts";
import type { KeyMetadata } from "../../lib/keys/key-metadata.ts";
import { isTimeZone } from "../../lib/time/time-zone.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TelemetryService } from "../telemetry/telemetry.service.ts";
import type { Principal } from "../users/users.types.ts";
import { dashboardForType, type TypeDashboard, typeTitle } from "./dashboard-template.ts";
import { dashboardInvalid, deviceTypeUnknown } from "./dashboards.errors.ts";
import type { DashboardContent } from "./dashboards.resource.ts";

/** Max. devices whose keys are read. */
const SAMPLED_MAX = 50;

export type TypeDashboardRequest = Pick<TypeDashboard, "deviceType"> & {
  readonly [Key in "name" | "template" | "timezone"]?: TypeDashboard[Key] | undefined;
};

/** Returns a function that creates a dashboard from the data that the devices of a type have sent. */
export const createTypeDashboards =
  (deps: {
    devices: Pick<DevicesService, "list">;
    telemetry: Pick<TelemetryService, "scalarsOf" | "resolveKeys">;
  }) =>
  async (
    principal: Principal,
    { deviceType, name = typeTitle(deviceType), template = "AUTO", timezone = "UTC" }: TypeDashboardRequest,
  ): Promise<DashboardContent> => {
    if (!isTimeZone(timezone)) throw dashboardInvalid("timezone", detail("rule.timezone"));
    const filter = { deviceType, limit: SAMPLED_MAX, offset: 0, sort: "-lastActivityAt" };
    const deviceIds = deps.devices.list(principal, filter).items.map(({ deviceId }) => deviceId);
    if (deviceIds.length === 0) throw deviceTypeUnknown();
    const sample = {};
    for await (const snapshots of deps.telemetry.scalarsOf(principal, deviceIds))
      for (const { values } of snapshots) Object.assign(sample, values);
    const { profiles } = deps.telemetry.resolveKeys(principal, deviceIds);
    const metadata = new Map<string, KeyMetadata>();
    for (const { keyMetadata } of profiles) for (const entry of keyMetadata) metadata.set(entry.key, entry);
    return dashboardForType({
      name,
      deviceType,
      template,
      timezone,
      sample,
      metadata,
      devices: deviceIds.length,
    });
  };
