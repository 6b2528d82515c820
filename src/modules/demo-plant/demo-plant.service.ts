import { DomainError, detail, type ErrorKind } from "../../lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import { createFactory } from "../../lib/devices/factory-model.ts";
import type { Language } from "../../lib/strings/preferred-language.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DashboardsService } from "../dashboards/dashboards.service.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import { isAllowed } from "../identity/permissions.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { OverviewPins } from "../overview/overview-pins.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { noRoom } from "./demo-plant.errors.ts";
import type { DemoPlantRepository } from "./demo-plant.repository.ts";
import type { DemoPlant, DemoPlantParts, DemoPlantStatus } from "./demo-plant.types.ts";
import type { DemoPlantEngine } from "./demo-plant-engine.ts";
import { dashboardOf, LINES, MACHINES_PER_LINE, pinsOf, plantProfiles, TAG } from "./plant-content.ts";
import { type PlantTexts, plantTexts } from "./plant-texts.ts";

const nothing: DemoPlantParts = { gateways: [], machines: [], profiles: [], dashboardId: "", remembered: [] };

/** Returns `undefined` if the work fails with this kind of error, which is acceptable. */
function unless<Result>(kind: ErrorKind, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError && error.kind === kind) return undefined;
    throw error;
  }
}

/** User who starts the plant, and the texts in their language. */
interface Starter {
  readonly principal: Principal;
  readonly text: PlantTexts;
}

/** Returns an unused name. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let n = 1; ; n++) {
    const wanted = n === 1 ? name : `${name} (demo ${n})`;
    if (!isTaken(wanted)) return wanted;
  }
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns a function that runs tasks of a tenant one at a time, so that removal and creation do not overlap. */
function createTaskQueue() {
  const lastTasks = new Map<TenantId, Promise<unknown>>();
  return <Result>({ tenantId }: Principal, work: () => Promise<Result>): Promise<Result> => {
    const task = (lastTasks.get(tenantId) ?? Promise.resolve()).then(work, work);
    const settled = task.catch(() => undefined);
    lastTasks.set(tenantId, settled);
    void settled.then(() => {
      if (lastTasks.get(tenantId) === settled) lastTasks.delete(tenantId);
    });
    return task;
  };
}

/** Creates the service for a simulated small factory that uses the regular ingest, to show every screen before the first device is connected. */
export function createDemoPlantService(deps: {
  repository: DemoPlantRepository;
  engine: DemoPlantEngine;
  devices: Pick<DevicesService, "create" | "get" | "delete" | "findNamed" | "roomFor">;
  profiles: Pick<ProfilesService, "heads" | "create" | "delete">;
  dashboards: Pick<DashboardsService, "get" | "ensureRoom" | "create" | "update" | "delete">;
  ingest: Pick<IngestService, "clientAttributes">;
  pins: Pick<OverviewPins, "pinFirst">;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  transact: (work: () => void) => void;
  clock: Clock;
}) {
  const { repository, engine, devices, profiles, dashboards, clock } = deps;

  const isThere = (find: () => unknown): boolean => unless("not_found", find) !== undefined;

  const enqueue = createTaskQueue();

  function ensureProfiles(
    { principal, text }: Starter,
    profileIds: readonly ProfileId[],
  ): Map<string, ProfileId> {
    const there = profiles.heads(principal);
    const entries = plantProfiles(text).map(
      ({ deviceType, name, alarmRules, keyMetadata }, index): [string, ProfileId] => {
        const kept = there.find(({ profileId }) => profileId === profileIds[index]);
        if (kept) return [deviceType, kept.profileId];
        const free = freeName(name, (wanted) => there.some((profile) => profile.name === wanted));
        return [deviceType, profiles.create(principal, { name: free, alarmRules, keyMetadata }).profileId];
      },
    );
    return new Map(entries);
  }

  function ensureDevice(
    principal: Principal,
    deviceId: DeviceId | undefined,
    wanted: Parameters<DevicesService["create"]>[1],
  ): DeviceId {
    // A profile that somebody has changed belongs to them.
    const there =
      deviceId === undefined ? undefined : unless("not_found", () => devices.get(principal, deviceId));
    if (there !== undefined && there.role === (wanted.role ?? "DEVICE")) return there.deviceId;
    const isTaken = (name: string) => devices.findNamed(principal.tenantId, name).length > 0;
    return devices.create(principal, { ...wanted, name: freeName(wanted.name, isTaken) }).deviceId;
  }

  function ensureRoom(principal: Principal, { gateways, machines, dashboardId }: DemoPlantParts): void {
    const there = [...gateways, ...machines].filter((id) => isThere(() => devices.get(principal, id)));
    const needed = LINES * (MACHINES_PER_LINE + 1) - there.length;
    const room = devices.roomFor(principal.tenantId);
    if (room !== null && room < needed) throw noRoom(needed, room);
    // Each device is announced when it is created, so check first that all of them fit.
    const hasDashboard = isThere(() => dashboards.get(principal, dashboardId));
    if (!hasDashboard) dashboards.ensureRoom(principal);
  }

  function ensureParts(starter: Starter, demoPlantParts: DemoPlantParts): DemoPlantParts {
    const { principal, text } = starter;
    const profileIds = ensureProfiles(starter, demoPlantParts.profiles);
    const ofLine = (line: number) => ({
      label: `${text("Line")} ${line}`,
      tags: [TAG, `${text("line-")}${line}`],
    });
    const ofType = (deviceType: string) => ({ profileId: profileIds.get(deviceType) });
    const gateways = Array.from({ length: LINES }, (_, index) =>
      ensureDevice(principal, demoPlantParts.gateways[index], {
        name: text("Line {line} gateway").replace("{line}", String(index + 1)),
        deviceType: "gateway",
        role: "GATEWAY",
        ...ofLine(index + 1),
        ...ofType("gateway"),
      }),
    );
    const factory = createFactory(LINES * MACHINES_PER_LINE, 1, { machinesPerLine: MACHINES_PER_LINE });
    const machines = factory.map(({ kind, line }, index) =>
      ensureDevice(principal, demoPlantParts.machines[index], {
        name: `${capitalized(text(kind))} ${line}`,
        deviceType: text(kind),
        parentDeviceId: gateways[line - 1] ?? null,
        ...ofLine(line),
        ...ofType(kind),
      }),
    );
    if (isAllowed(principal, "tenant:write")) deps.pins.pinFirst(principal, pinsOf(machines));
    return {
      gateways,
      machines,
      profiles: [...profileIds.values()],
      dashboardId: ensureDashboard(starter, demoPlantParts, machines),
      remembered: demoPlantParts.remembered.filter((deviceId) => machines.includes(deviceId)),
    };
  }

  /** Creates the dashboard. An existing one keeps users' changes, with new machines in place of deleted ones. */
  function ensureDashboard(
    { principal, text }: Starter,
    demoPlantParts: DemoPlantParts,
    machines: readonly DeviceId[],
  ): string {
    const board = unless("not_found", () => dashboards.get(principal, demoPlantParts.dashboardId));
    if (board === undefined) return dashboards.create(principal, dashboardOf(machines, text)).id;
    const { aliases, widgets } = board;
    const before = JSON.stringify({ aliases, widgets });
    const after = demoPlantParts.machines.reduce(
      (text, gone, index) => text.replaceAll(gone, machines[index] ?? gone),
      before,
    );
    if (after !== before) dashboards.update(principal, board.id, JSON.parse(after));
    return board.id;
  }

  /** Reports the attributes that a device sends when it starts. */
  function introduce({ machines }: DemoPlantParts): void {
    for (const [index, deviceId] of machines.entries()) {
      const device = deps.findDevice(deviceId);
      if (device !== undefined)
        void deps.ingest
          .clientAttributes(device, { firmware: "2.4.1", serial: `LS-${1001 + index}` })
          .catch(() => undefined); // a demonstration works without them, too
    }
  }

  function statusOf(tenantId: TenantId): DemoPlantStatus {
    const plant = repository.find(tenantId);
    if (plant === undefined) return { state: "none", progress: 0, deviceCount: 0, dashboardId: null };
    const { gateways, machines, dashboardId } = plant.parts;
    return {
      state: plant.isRunning ? "running" : "stopped",
      progress: machines.every((deviceId) => plant.parts.remembered.includes(deviceId))
        ? 1
        : engine.progressOf(tenantId),
      deviceCount: gateways.length + machines.length,
      dashboardId,
    };
  }

  async function start(starter: Starter): Promise<DemoPlantStatus> {
    const { principal } = starter;
    const { tenantId } = principal;
    const before = repository.find(tenantId);
    ensureRoom(principal, before?.parts ?? nothing);
    const parts = ensureAll(starter, before);
    const isSame = JSON.stringify(parts) === JSON.stringify(before?.parts);
    if (before?.isRunning === true && isSame) return statusOf(tenantId);
    await engine.run({ tenantId, isRunning: true, parts, createdAt: before?.createdAt ?? clock.now() });
    unless("unavailable", () => introduce(parts));
    return statusOf(tenantId);
  }

  /** Creates all missing parts, or none. */
  function ensureAll(starter: Starter, before: DemoPlant | undefined): DemoPlantParts {
    const { tenantId } = starter.principal;
    let parts = nothing;
    deps.transact(() => {
      parts = ensureParts(starter, before?.parts ?? nothing);
      repository.save({ tenantId, isRunning: true, parts, createdAt: before?.createdAt ?? clock.now() });
    });
    return parts;
  }

  async function stop({ tenantId }: Principal): Promise<DemoPlantStatus> {
    const plant = repository.find(tenantId);
    await engine.end(tenantId);
    const left = repository.find(tenantId) ?? plant;
    if (left !== undefined) repository.save({ ...left, isRunning: false });
    return statusOf(tenantId);
  }

  async function remove(principal: Principal): Promise<void> {
    const { tenantId } = principal;
    await stop(principal);
    const plant = repository.find(tenantId);
    if (plant === undefined) return;
    const { machines, gateways, dashboardId } = plant.parts;
    for (const deviceId of [...machines, ...gateways])
      await devices.delete(principal, deviceId).catch((error: unknown) =>
        unless("not_found", () => {
          throw error;
        }),
      );
    unless("not_found", () => dashboards.delete(principal, dashboardId));
    const there = new Set(profiles.heads(principal).map(({ profileId }) => profileId));
    // A profile that somebody uses for their own devices stays.
    for (const profileId of plant.parts.profiles)
      if (there.has(profileId)) unless("conflict", () => profiles.delete(principal, profileId));
    repository.delete(tenantId);
  }

  return {
    status: ({ tenantId }: Principal): DemoPlantStatus => statusOf(tenantId),
    /** Creates the missing parts of the plant, named in the language, and runs it. */
    async start(principal: Principal, language: Language): Promise<DemoPlantStatus> {
      ensureAllDevices(principal, detail("action.start_demo_plant"));
      return enqueue(principal, () => start({ principal, text: plantTexts(language) }));
    },
    /** Stops the plant. Its devices and their data are kept. */
    async stop(principal: Principal): Promise<DemoPlantStatus> {
      ensureAllDevices(principal, detail("action.stop_demo_plant"));
      return enqueue(principal, () => stop(principal));
    },
    /** Removes the plant with its devices, their data, profiles and dashboard. */
    async remove(principal: Principal): Promise<void> {
      ensureAllDevices(principal, detail("action.remove_demo_plant"));
      await enqueue(principal, () => remove(principal));
    },
  };
}

export type DemoPlantService = ReturnType<typeof createDemoPlantService>;
