import { detail } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import { dashboardInvalid } from "./dashboards.errors.ts";
import type { Dashboard, DashboardContent } from "./dashboards.resource.ts";

const FORMAT = "lineside.dashboard";
const VERSION = 1;
const MAPPED_MAX = 10_000;

/** A dashboard as a file: with the names of the devices that it knows by their ids, so that another site can find its own. */
export interface ExportedDashboard extends DashboardContent {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly devices: ReadonlyArray<{ readonly deviceId: string; readonly name: string }>;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** A copy in which texts that are ids, also inside of JSON text, are others. */
function withIds(value: unknown, idOf: (id: string) => string): unknown {
  if (typeof value === "string") return value.replace(UUID, idOf);
  if (Array.isArray(value)) return value.map((item) => withIds(item, idOf));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withIds(inner, idOf)]));
}

const contentOf = ({
  name,
  type,
  states,
  layout,
  widgets,
  aliases,
  timeWindow,
  configuration,
  settings,
}: Dashboard) => ({
  ...{ name, type, states, layout, widgets, aliases, timeWindow, configuration, settings },
});

/** Devices that the caller may not see are not named. */
export function exportDashboard(
  dashboard: Dashboard,
  nameOf: (deviceId: string) => string | undefined,
): ExportedDashboard {
  const content = contentOf(dashboard);
  const ids = new Set(JSON.stringify(content).match(UUID) ?? []);
  const devices = [...ids].flatMap((deviceId) => {
    const name = nameOf(deviceId);
    return name === undefined ? [] : [{ deviceId, name }];
  });
  return { format: FORMAT, version: VERSION, ...content, devices };
}

function idMapOf(input: unknown): Map<string, string> {
  if (input === undefined || input === null) return new Map();
  if (!isJsonObject(input)) throw dashboardInvalid("idMap", detail("rule.id_map"));
  const entries = Object.entries(input);
  if (entries.length > MAPPED_MAX)
    throw dashboardInvalid("idMap", detail("rule.ids_max", { max: MAPPED_MAX }));
  return new Map(
    entries.map(([from, to]) => {
      if (typeof to !== "string") throw dashboardInvalid(`idMap.${from.slice(0, 64)}`, detail("rule.id"));
      return [from.toLowerCase(), to] as const;
    }),
  );
}

/** Other programs number the versions of their dashboards, and call what is on them panels. */
const isForeign = ({ version, panels, schemaVersion }: Record<string, unknown>): boolean =>
  (version !== undefined && version !== VERSION) || panels !== undefined || schemaVersion !== undefined;

/** Splits a file into its content, its devices and its id map. */
function fileOf(input: unknown): { content: Record<string, unknown>; devices: unknown; idMap: unknown } {
  if (!isJsonObject(input)) throw dashboardInvalid("dashboard", detail("rule.object"));
  const outer = isJsonObject(input.dashboard) ? input.dashboard : input;
  const {
    id: _,
    tenantId: __,
    createdAt: ___,
    updatedAt: ____,
    format,
    version,
    devices,
    idMap,
    ...content
  } = outer;
  if (format !== undefined && format !== FORMAT)
    throw dashboardInvalid("format", detail("rule.must_be", { format: FORMAT }));
  if (format === undefined && isForeign(outer))
    throw dashboardInvalid("dashboard", detail("rule.foreign_dashboard"));
  if (version !== undefined && version !== VERSION)
    throw dashboardInvalid("version", detail("rule.newer_version"));
  return { content, devices, idMap: input.idMap ?? idMap };
}

/**
 * The content of an exported dashboard for this site: `{…dashboard}` or `{dashboard, idMap?}`. Ids are changed as `idMap` says; others
 * that are no devices here, to that of the one device that is called as the file says.
 */
export function importDashboard(
  input: unknown,
  principal: Principal,
  devices: Pick<DevicesService, "findNamed"> & { isKnown(deviceId: string): boolean },
): unknown {
  const { content, devices: named, idMap } = fileOf(input);
  const wanted = idMapOf(idMap);
  const byName = new Map<string, string>();
  if (Array.isArray(named))
    for (const candidate of named.slice(0, MAPPED_MAX))
      if (
        isJsonObject(candidate) &&
        typeof candidate.deviceId === "string" &&
        typeof candidate.name === "string"
      ) {
        const [found, second] = devices.findNamed(principal.tenantId, candidate.name);
        const isOne = found !== undefined && second === undefined;
        if (isOne && !devices.isKnown(candidate.deviceId))
          byName.set(candidate.deviceId.toLowerCase(), found.deviceId);
      }
  return withIds(content, (id) => wanted.get(id.toLowerCase()) ?? byName.get(id.toLowerCase()) ?? id);
}
