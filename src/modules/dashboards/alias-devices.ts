import { DomainError, detail } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DeviceFilter, DeviceWithActivity } from "../devices/devices.types.ts";
import type { Principal } from "../users/users.types.ts";
import { dashboardInvalid } from "./dashboards.errors.ts";
import type { Alias, ResolvedDevice } from "./dashboards.types.ts";

/** Max. devices of an alias, as many as a wall of widgets can show. */
const DEVICES_MAX = 1_000;

export const ALIAS_TYPES = [
  "singleDevice",
  "deviceList",
  "deviceType",
  "deviceGroup",
  "gatewayChildren",
  "asset",
  "stateEntity",
] as const;

/** Returns a parameter from the alias itself, its `config` or its `filter`. */
function parameter(alias: Alias, name: string): unknown {
  for (const place of [alias, alias.config, alias.filter])
    if (isJsonObject(place) && Object.hasOwn(place, name) && place[name] !== undefined) return place[name];
  return undefined;
}

function aliasText(alias: Alias, ...names: readonly string[]): string {
  for (const name of names) {
    const value = parameter(alias, name);
    if (typeof value === "string" && value !== "") return value;
  }
  throw dashboardInvalid(
    `alias ${excerpt(alias.name)}`,
    detail("rule.required_for_type", { names: names[0] ?? "", type: excerpt(alias.type) }),
  );
}

/** Returns a device's current activity and state. */
type CurrentState = (device: DeviceWithActivity) => Pick<ResolvedDevice, "active" | "state">;

const toResolved = (device: DeviceWithActivity, currentOf: CurrentState): ResolvedDevice => ({
  deviceId: device.deviceId,
  name: device.name,
  deviceType: device.deviceType,
  ...currentOf(device),
  assetId: device.assetId,
});

/** Returns a reader that caches results, because aliases of a dashboard often request the same. */
function readOnce<Query>(read: (query: Query) => ResolvedDevice[]) {
  const results = new Map<string, ResolvedDevice[]>();
  return (query: Query): ResolvedDevice[] => {
    const name = JSON.stringify(query);
    const devices = results.get(name) ?? read(query);
    results.set(name, devices);
    return devices;
  };
}

/** Creates the function that resolves the aliases of a dashboard to the existing devices that the caller may see. */
export function createAliasDevices(deps: {
  devices: Pick<DevicesService, "get" | "list">;
  currentOf: CurrentState;
}) {
  const { devices, currentOf } = deps;

  function found(principal: Principal, deviceId: string): ResolvedDevice[] {
    try {
      return [toResolved(devices.get(principal, deviceId), currentOf)];
    } catch (error) {
      if (error instanceof DomainError && error.kind === "not_found") return [];
      throw error;
    }
  }

  const list = (principal: Principal, filter: Partial<DeviceFilter>): ResolvedDevice[] =>
    devices
      .list(principal, { ...filter, sort: "name", limit: DEVICES_MAX, offset: 0 })
      .items.map((device) => toResolved(device, currentOf));

  function listOf(alias: Alias): string[] {
    const ids = parameter(alias, "deviceIds");
    if (!Array.isArray(ids) || ids.some((id) => typeof id !== "string"))
      throw dashboardInvalid(`alias ${excerpt(alias.name)}`, detail("rule.device_ids_list"));
    return [...new Set<string>(ids)].slice(0, DEVICES_MAX);
  }

  /** `state`: state in which the dashboard is viewed; its `deviceId` is the device of `stateEntity` aliases. */
  return (principal: Principal, state: Readonly<Record<string, unknown>>) => {
    const listed = readOnce((filter: Partial<DeviceFilter>) => list(principal, filter));
    const of = readOnce((deviceId: string) => found(principal, deviceId));
    return (alias: Alias): ResolvedDevice[] => {
      const resolve: Record<(typeof ALIAS_TYPES)[number], () => ResolvedDevice[]> = {
        singleDevice: () => of(aliasText(alias, "deviceId")),
        deviceList: () => listOf(alias).flatMap(of),
        deviceType: () => listed({ deviceType: aliasText(alias, "deviceType") }),
        deviceGroup: () => listed({ tag: aliasText(alias, "tag", "group") }),
        gatewayChildren: () =>
          of(aliasText(alias, "gatewayId", "deviceId")).flatMap(({ deviceId }) =>
            listed({ parentDeviceId: deviceId }),
          ),
        asset: () => listed({ assetId: aliasText(alias, "assetId") }),
        stateEntity: () => (typeof state.deviceId === "string" ? of(state.deviceId) : []),
      };
      const type = ALIAS_TYPES.find((aliasType) => aliasType === alias.type);
      if (type === undefined)
        throw dashboardInvalid(
          `alias ${excerpt(alias.name ?? "")}`,
          detail("rule.alias_type", { aliasTypes: ALIAS_TYPES.join(", ") }),
        );
      return resolve[type]();
    };
  };
}
