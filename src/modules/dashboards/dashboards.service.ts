import { worstAlarms } from "../../lib/alarms/worst-alarms.ts";
import { defined } from "../../lib/core/defined.ts";
import { DomainError, detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { AlarmsService } from "../alarms/alarms.service.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { createAliasDevices } from "./alias-devices.ts";
import type { Choice, ChoicesRepository } from "./choices.repository.ts";
import type { createDashboardData } from "./dashboard-data.ts";
import {
  aliasesOf,
  aliasOf,
  hasOwnWindow,
  objectOf,
  parseDashboard,
  selectorOf,
  widgetsOf,
  yearZoneOf,
} from "./dashboard-form.ts";
import { aliasMissing, dashboardInvalid, dashboardShared, versionNotFound } from "./dashboards.errors.ts";
import type {
  Dashboard,
  DashboardChanges,
  DashboardContent,
  dashboardResource,
  Executed,
  Version,
} from "./dashboards.resource.ts";
import {
  type Alias,
  EMPTY_CONTENT,
  type ExecuteRequest,
  type ResolvedDevice,
  type VersionEntry,
} from "./dashboards.types.ts";
import type { createTypeDashboards, TypeDashboardRequest } from "./type-dashboards.ts";
import type { VersionsRepository } from "./versions.repository.ts";
import { shownWindow, windowOf } from "./window-of.ts";

const FORMAT = "lineside.dashboard";
const VERSION = 1;
const MAPPED_MAX = 10_000;

/** Exported dashboard, with the names of its devices by id, so that another site can find its own devices. */
interface ExportedDashboard extends DashboardContent {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly devices: ReadonlyArray<{ readonly deviceId: string; readonly name: string }>;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Returns a copy in which ids are replaced, also inside JSON strings. */
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
  tags,
}: Dashboard) => ({
  name,
  type,
  states,
  layout,
  widgets,
  aliases,
  timeWindow,
  configuration,
  settings,
  tags,
});

const entryOf = ({ version, name, widgets, updatedBy, updatedAt }: Dashboard): VersionEntry => ({
  version,
  name,
  widgets: widgetsOf(widgets).length,
  savedBy: updatedBy,
  savedAt: updatedAt,
});

/** Max. simultaneous dashboard requests of a user or link. The store answers them together, and each response may be large. */
const USER_DASHBOARDS_MAX = 2;
/** The same of all users and links of a tenant. */
const TENANT_DASHBOARDS_MAX = 4;
/** Devices looked up before the event loop turns. */
const LOOKED_UP_PER_STEP = 100;

/** Exports a dashboard, without the names of devices that the caller may not see. */
async function exportDashboard(
  dashboard: Dashboard,
  nameOf: (deviceId: string) => string | undefined,
): Promise<ExportedDashboard> {
  const content = contentOf(dashboard);
  const ids = [...new Set(JSON.stringify(content).match(UUID) ?? [])];
  const devices: { deviceId: string; name: string }[] = [];
  for (const [index, deviceId] of ids.entries()) {
    if (index % LOOKED_UP_PER_STEP === LOOKED_UP_PER_STEP - 1) await workShare.next();
    const name = nameOf(deviceId);
    if (name !== undefined) devices.push({ deviceId, name });
  }
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

/** Returns whether a file comes from another program, which numbers the versions of dashboards and has panels. */
const isForeign = ({ version, panels, schemaVersion }: Record<string, unknown>): boolean =>
  (version !== undefined && version !== VERSION) || panels !== undefined || schemaVersion !== undefined;

/** Splits a file into its content, its devices and its id map. */
function fileOf(input: unknown): { content: Record<string, unknown>; devices: unknown; idMap: unknown } {
  if (!isJsonObject(input)) throw dashboardInvalid("dashboard", detail("rule.object"));
  const outer = isJsonObject(input.dashboard) ? input.dashboard : input;
  const { format, version, devices, idMap, ...content } = omit(
    outer,
    "id",
    "tenantId",
    "updatedBy",
    "createdAt",
    "updatedAt",
  );
  if (format !== undefined && format !== FORMAT)
    throw dashboardInvalid("format", detail("rule.must_be", { format: FORMAT }));
  if (format === undefined && isForeign(outer))
    throw dashboardInvalid("dashboard", detail("rule.foreign_dashboard"));
  if (version !== undefined && version !== VERSION)
    throw dashboardInvalid("version", detail("rule.newer_version"));
  return { content, devices, idMap: input.idMap ?? idMap };
}

const isNamedDevice = (value: unknown): value is { deviceId: string; name: string } =>
  isJsonObject(value) && typeof value.deviceId === "string" && typeof value.name === "string";

/**
 * Returns the content of an exported dashboard for this site: `{…dashboard}` or `{dashboard, idMap?}`. Ids are replaced by `idMap`; other unknown
 * ids by the device with the same name, if there is exactly one.
 */
async function importDashboard(
  input: unknown,
  principal: Principal,
  devices: Pick<DevicesService, "findNamed"> & { isKnown(deviceId: string): boolean },
): Promise<unknown> {
  const { content, devices: named, idMap } = fileOf(input);
  const wanted = idMapOf(idMap);
  const byName = new Map<string, string>();
  const candidates: readonly unknown[] = Array.isArray(named) ? named.slice(0, MAPPED_MAX) : [];
  for (const [index, { deviceId, name }] of candidates.filter(isNamedDevice).entries()) {
    if (index % LOOKED_UP_PER_STEP === LOOKED_UP_PER_STEP - 1) await workShare.next();
    const [found, second] = devices.findNamed(principal.tenantId, name);
    const isOne = found !== undefined && second === undefined;
    if (isOne && !devices.isKnown(deviceId)) byName.set(deviceId.toLowerCase(), found.deviceId);
  }
  return withIds(content, (id) => wanted.get(id.toLowerCase()) ?? byName.get(id.toLowerCase()) ?? id);
}

interface DashboardsServiceDeps {
  readonly store: typeof dashboardResource.$store;
  readonly aliasDevices: ReturnType<typeof createAliasDevices>;
  readonly dataOf: ReturnType<typeof createDashboardData>;
  readonly devices: Pick<DevicesService, "get" | "list" | "findNamed" | "profilesOf">;
  readonly contentForType: ReturnType<typeof createTypeDashboards>;
  readonly alarms: Pick<AlarmsService, "listOpenByDevice">;
  readonly choices: ChoicesRepository;
  readonly versions: VersionsRepository;
  readonly transact: MainDatabase["transact"];
  readonly isShared: (dashboardId: string) => boolean;
  readonly onChanged: (dashboardId: string) => void;
  /** Called before the dashboard is deleted. */
  readonly onDeleted: (dashboardId: string) => void;
  readonly clock: Clock;
}

/** Returns a function that adds the severity and number of its open alarms to a device. */
function alarmsAdder(open: ReturnType<AlarmsService["listOpenByDevice"]>) {
  const worst = worstAlarms(open);
  const counts = new Map(open.map(({ deviceId, count }) => [deviceId, count]));
  return (device: ResolvedDevice): ResolvedDevice => {
    const severity = worst.get(device.deviceId)?.severity;
    const count = counts.get(device.deviceId);
    return {
      ...device,
      ...(severity !== undefined && { alarmSeverity: severity }),
      ...(count !== undefined && { openAlarms: count }),
    };
  };
}

interface ResolvedAlias {
  devices: readonly ResolvedDevice[];
  /** Reason why the alias cannot be resolved. */
  problem?: DomainError;
}

/** Creates the service for a tenant's dashboards: all users see all dashboards, each with the devices visible to that user. */
export function createDashboardsService(deps: DashboardsServiceDeps) {
  const { store, devices, clock } = deps;

  const find = ({ tenantId }: Principal, id: string): Dashboard => store.get(tenantId, id);

  /** Parses a dashboard. Refuses an invalid window. */
  function parse(input: unknown): DashboardChanges {
    const parsed = parseDashboard(input);
    windowOf(parsed.timeWindow, clock.now());
    return parsed;
  }

  function insert({ tenantId, email }: Principal, input: unknown): Dashboard {
    const { name, ...content } = parse(input);
    if (name === undefined) throw dashboardInvalid("name", detail("rule.required"));
    return store.insert(tenantId, {
      ...EMPTY_CONTENT,
      ...defined(content),
      name,
      version: 1,
      updatedBy: email,
    });
  }

  /** Changes a dashboard and keeps its previous version. A change without effect writes nothing. */
  function save({ email }: Principal, current: Dashboard, changes: DashboardChanges): Dashboard {
    const entries = Object.entries(defined(changes)) as [keyof DashboardContent, unknown][]; // the fields of the type
    if (entries.every(([field, value]) => Bun.deepEquals(value, current[field]))) return current;
    const changed = deps.transact(() => {
      const { id: dashboardId, tenantId, version } = current;
      deps.versions.add({ ...entryOf(current), dashboardId, tenantId, content: contentOf(current) });
      return store.update(current, { ...changes, version: version + 1, updatedBy: email });
    });
    deps.onChanged(current.id);
    return changed;
  }

  function versionOf(current: Dashboard, number: number): Version {
    if (number === current.version) return { entry: entryOf(current), content: contentOf(current) };
    const version = deps.versions.find(current.id, number);
    if (version === undefined) throw versionNotFound();
    return version;
  }

  /** Returns a dashboard to be changed. Refuses dashboards with links, which would show others devices hidden from the author. */
  function findToChange(principal: Principal, id: string): Dashboard {
    const current = find(principal, id);
    if (principal.devices !== "all" && deps.isShared(id)) throw dashboardShared();
    return current;
  }

  function nameOf(principal: Principal, deviceId: string): string | undefined {
    return devices.profilesOf(principal, [deviceId]).size === 0
      ? undefined
      : devices.get(principal, deviceId).name;
  }

  /** Returns a function that resolves each alias once. */
  function createAliasReader(principal: Principal, state: Readonly<Record<string, unknown>>) {
    const devicesOf = deps.aliasDevices(principal, state);
    const withAlarms = alarmsAdder(deps.alarms.listOpenByDevice(principal));
    /** Resolved aliases by id. */
    const read = new Map<string, ResolvedAlias>();
    return async (alias: Alias) => {
      const earlier = read.get(alias.id);
      if (earlier !== undefined) return earlier;
      await workShare.next(); // each alias lists up to 1,000 devices: let other requests run in between
      const found: ResolvedAlias = { devices: [] };
      try {
        found.devices = devicesOf(alias).map(withAlarms);
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== "invalid") throw error;
        found.problem = error;
      }
      read.set(alias.id, found);
      return found;
    };
  }

  const users = new Lanes(USER_DASHBOARDS_MAX);
  const tenants = new Lanes(TENANT_DASHBOARDS_MAX);

  /** Waits for the user's turn, and then for the tenant's. */
  const show = (principal: Principal, dashboard: Dashboard, request: ExecuteRequest): Promise<Executed> =>
    users.run(principal.userId, () =>
      tenants.run(principal.tenantId, () => read(principal, dashboard, request)),
    );

  async function read(
    principal: Principal,
    dashboard: Dashboard,
    { timeRange, dashboardStateId, widgetIds, context = {}, room }: ExecuteRequest,
  ): Promise<Executed> {
    const now = clock.now();
    const input = timeRange ?? dashboard.timeWindow;
    const window = shownWindow(input, now);
    const aliases = aliasesOf(dashboard.aliases);
    const resolve = createAliasReader(principal, context);
    const shown = widgetsOf(dashboard.widgets).filter(
      (widget) =>
        (widget.dashboardStateId === undefined ||
          dashboardStateId === undefined ||
          widget.dashboardStateId === dashboardStateId) &&
        (widgetIds === undefined || widgetIds.includes(widget.widgetId)),
    );
    const data = await deps.dataOf(principal, shown, {
      room,
      windowOf(widget) {
        const yearZone = yearZoneOf(widget);
        if (yearZone === undefined && !hasOwnWindow(widget)) return window;
        return shownWindow(hasOwnWindow(widget) ? widget.config.timeWindow : input, now, yearZone);
      },
      async devicesOf(widget) {
        const alias = aliasOf(aliases, widget);
        const { devices, problem }: ResolvedAlias =
          alias === undefined ? { devices: [] } : await resolve(alias);
        if (problem !== undefined) throw problem;
        return devices;
      },
    });
    const resolved: [string, readonly ResolvedDevice[]][] = [];
    for (const alias of aliases) resolved.push([alias.id, (await resolve(alias)).devices]);
    const { from, to } = window;
    return { dashboard, timeWindow: { from, to }, devices: Object.fromEntries(resolved), data };
  }

  return {
    read: ({ tenantId }: Principal) => store.rows(tenantId),
    get: find,
    /** Returns whether the tenant has the dashboard. */
    existsIn: (tenantId: TenantId, id: string): boolean => store.find(tenantId, id) !== undefined,
    /** @throws DomainError `dashboard.limit` if there is no room for another dashboard */
    ensureRoom: ({ tenantId }: Principal): void => store.ensureRoom(tenantId),
    create: insert,
    update(principal: Principal, id: string, changes: unknown): Dashboard {
      const current = findToChange(principal, id);
      return save(principal, current, parse(changes));
    },
    /** Returns all versions, current version first. */
    listVersions: (principal: Principal, id: string): VersionEntry[] => {
      const current = find(principal, id);
      return [entryOf(current), ...deps.versions.list(id)];
    },
    getVersion: (principal: Principal, id: string, number: number): Version =>
      versionOf(find(principal, id), number),
    /** Restores the content of an earlier version as a new version, with the usual checks. */
    restore(principal: Principal, id: string, number: number): Dashboard {
      const current = findToChange(principal, id);
      return save(principal, current, parse(versionOf(current, number).content));
    },
    delete(principal: Principal, id: string): void {
      const dashboard = findToChange(principal, id);
      deps.onDeleted(id);
      store.delete(dashboard);
    },
    /** Returns the dashboard with the data of its widgets. */
    execute: async (principal: Principal, id: string, request: ExecuteRequest): Promise<Executed> => {
      const dashboard = find(principal, id);
      return show(principal, dashboard, request);
    },
    /** Executes an unstored dashboard, with the data of its widgets. */
    async preview(principal: Principal, input: unknown, request: ExecuteRequest): Promise<Executed> {
      const now = clock.now();
      const stamps = { version: 1, updatedBy: principal.email, createdAt: now, updatedAt: now };
      const rest = { id: "preview", tenantId: principal.tenantId, ...stamps };
      const dashboard = { ...EMPTY_CONTENT, name: "preview", ...defined(parseDashboard(input)), ...rest };
      return show(principal, dashboard, request);
    },
    async resolveAlias(principal: Principal, input: unknown, state: unknown): Promise<ResolvedDevice[]> {
      if (input === undefined || input === null || input === "") throw aliasMissing();
      const existing = state === undefined || state === null ? {} : objectOf(state, "dashboardState");
      await workShare.pause(); // the alias may list up to 1,000 devices
      return deps.aliasDevices(principal, existing)(selectorOf(input));
    },
    /** Returns the user's favorites and start page. */
    choices({ tenantId, userId }: Principal): { favorites: string[]; start: string | null } {
      const all = deps.choices.list(tenantId, userId);
      return {
        favorites: all.filter(({ isFavorite }) => isFavorite).map(({ dashboardId }) => dashboardId),
        start: all.find(({ isStart }) => isStart)?.dashboardId ?? null,
      };
    },
    choose(principal: Principal, id: string, changes: Partial<Choice>): void {
      find(principal, id);
      deps.choices.set(principal.userId, id, changes);
    },
    export: (principal: Principal, id: string): Promise<ExportedDashboard> =>
      exportDashboard(find(principal, id), (deviceId) => nameOf(principal, deviceId)),
    import: async (principal: Principal, file: unknown): Promise<Dashboard> =>
      insert(
        principal,
        await importDashboard(file, principal, {
          findNamed: devices.findNamed,
          isKnown: (deviceId) => nameOf(principal, deviceId) !== undefined,
        }),
      ),
    createForType: async (principal: Principal, request: TypeDashboardRequest): Promise<Dashboard> =>
      insert(principal, await deps.contentForType(principal, request)),
  };
}

export type DashboardsService = ReturnType<typeof createDashboardsService>;
