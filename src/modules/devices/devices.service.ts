import { defined } from "../../lib/defined.ts";
import { DomainError, forbidden, invalid } from "../../lib/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId, randomToken } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { devicesLimit } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import {
  devEuiTaken,
  deviceNotFound,
  parentNotGateway,
  profileUnknown,
  tokenTaken,
} from "./devices.errors.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type {
  Device,
  DeviceChanges,
  DeviceFilter,
  DeviceWithActivity,
  NewDevice,
  TypeDefaults,
} from "./devices.types.ts";

/** 20 random bytes: 27 URL-safe characters. */
const TOKEN_BYTES = 20;

/** Devices of a tenant as people manage them. A device that the caller may not see does not exist for the caller. */
export interface DevicesService {
  /** For other modules: every device of a tenant with its profile. */
  listIds(tenantId: TenantId): Array<{ deviceId: DeviceId; profileId: ProfileId }>;
  list(principal: Principal, filter: DeviceFilter): { items: DeviceWithActivity[]; total: number };
  get(principal: Principal, deviceId: string): DeviceWithActivity;
  /** The id of a device that the caller may see; throws `not_found` otherwise. */
  ensureVisible(principal: Principal, deviceId: string): DeviceId;
  /** All ids given, or `not_found` for the first that the caller may not see. */
  ensureAllVisible(principal: Principal, deviceIds: readonly string[]): DeviceId[];
  create(principal: Principal, device: NewDevice): DeviceWithActivity;
  /** All or none. `each` is called for every device within the transaction; what it throws takes all back. */
  createMany(
    principal: Principal,
    devices: readonly NewDevice[],
    each: (device: Device, index: number) => void,
  ): Device[];
  /** Throws what `create` would throw of references that are not there; writes nothing. */
  check(principal: Principal, device: NewDevice): void;
  /** How many more the plan of the tenant allows; null for any number. */
  roomFor(tenantId: TenantId): number | null;
  update(principal: Principal, deviceId: string, changes: DeviceChanges): DeviceWithActivity;
  /** Resolves when the telemetry is gone too. */
  delete(principal: Principal, deviceId: string): Promise<void>;
  rotateToken(principal: Principal, deviceId: string): { type: "ACCESS_TOKEN"; token: string };
  listChildren(principal: Principal, deviceId: string): DeviceWithActivity[];
  countTypes(principal: Principal): Array<{ deviceType: string; count: number }>;
  countAssets(principal: Principal): Array<{ assetId: string; count: number }>;
  getTypeDefaults(principal: Principal, deviceType: string): TypeDefaults;
}

export function createDevicesService(deps: {
  repository: DevicesRepository;
  profiles: ProfilesService;
  /** How many devices the plan of a tenant allows; null for no limit. */
  devicesMax: (tenantId: TenantId) => number | null;
  transact: (work: () => void) => void;
  /** Stores the dev EUI as the device's attribute `integration.lorawan.dev_eui`. */
  saveDevEui: (deviceId: DeviceId, devEui: string | null) => void;
  deleteTelemetry: (deviceId: DeviceId) => Promise<void>;
  clock: Clock;
  events: EventBus<DomainEvents>;
}): DevicesService {
  const { repository, profiles, clock, events } = deps;

  const isVisible = ({ devices }: Principal, deviceId: DeviceId) =>
    devices === "all" || devices.has(deviceId);

  function get(principal: Principal, deviceId: string): DeviceWithActivity {
    const device = repository.findWithActivity(principal.tenantId, deviceId as DeviceId); // a wrong id is simply not found
    if (device === undefined || !isVisible(principal, device.deviceId)) throw deviceNotFound();
    return device;
  }

  function ensureVisible(principal: Principal, deviceId: string): DeviceId {
    const device = repository.find(deviceId as DeviceId); // a wrong id is simply not found
    if (device?.tenantId !== principal.tenantId || !isVisible(principal, device.deviceId))
      throw deviceNotFound();
    return device.deviceId;
  }

  /** Throws unless parent and profile belong to the tenant; gives back the ids as known ones. */
  function checkReferences(principal: Principal, changes: DeviceChanges, self?: DeviceId) {
    const { tenantId } = principal;
    let parentDeviceId: DeviceId | null | undefined;
    if (changes.parentDeviceId === null) parentDeviceId = null;
    else if (changes.parentDeviceId !== undefined) {
      const parent = repository.find(changes.parentDeviceId as DeviceId); // looked up right here
      if (parent?.tenantId !== tenantId || !isVisible(principal, parent.deviceId)) throw parentNotGateway();
      if (parent.role !== "GATEWAY" || parent.deviceId === self) throw parentNotGateway();
      parentDeviceId = parent.deviceId;
    }
    const profileId =
      changes.profileId === undefined ? undefined : ensureProfile(tenantId, changes.profileId);
    return defined({ parentDeviceId, profileId });
  }

  function ensureProfile(tenantId: TenantId, profileId: string) {
    try {
      return profiles.ensure(tenantId, profileId).profileId;
    } catch (error) {
      throw error instanceof DomainError && error.kind === "not_found" ? profileUnknown() : error;
    }
  }

  function saveDevEui(tenantId: TenantId, deviceId: DeviceId, devEui: string | null | undefined): void {
    if (devEui === undefined) return;
    const normalized = devEui?.toLowerCase() ?? null;
    const owner = normalized === null ? undefined : repository.findByDevEui(tenantId, normalized);
    if (owner !== undefined && owner !== deviceId) throw devEuiTaken();
    deps.saveDevEui(deviceId, normalized);
  }

  function ensureAllDevices({ devices }: Principal, what: string): void {
    if (devices !== "all")
      throw forbidden("device.not_granted", `Only users with access to all devices may ${what}.`);
  }

  /** Throws `forbidden` when the plan of the tenant does not allow so many more devices. */
  function ensureRoom(tenantId: TenantId, wanted: number): void {
    const limit = deps.devicesMax(tenantId);
    if (limit !== null && repository.countOf(tenantId) + wanted > limit) throw devicesLimit(limit);
  }

  function applyToType(device: Device, apply: boolean | undefined): void {
    if (apply !== true) return;
    const { tenantId, deviceType, targetDashboardId, targetStateId } = device;
    repository.saveTypeDefaults(tenantId, { deviceType, targetDashboardId, targetStateId });
    repository.applyToType(tenantId, { deviceType, targetDashboardId, targetStateId }, clock.now());
  }

  function fieldsOf({
    lorawanDevEui: _,
    applyToAllOfType: __,
    parentDeviceId: ___,
    profileId: ____,
    ...fields
  }: DeviceChanges) {
    return defined(fields);
  }

  /** What new devices of a tenant begin with, asked once for all of them. */
  function defaultsOf(tenantId: TenantId) {
    const { profileId } = profiles.ensure(tenantId);
    const types = new Map<string, TypeDefaults | undefined>();
    return {
      profileId,
      ofType(deviceType: string): TypeDefaults | undefined {
        if (!types.has(deviceType)) types.set(deviceType, repository.findTypeDefaults(tenantId, deviceType));
        return types.get(deviceType);
      },
    };
  }

  function build(
    principal: Principal,
    given: NewDevice,
    { profileId, ofType } = defaultsOf(principal.tenantId),
  ): Device {
    const { tenantId } = principal;
    const now = clock.now();
    const defaults = ofType(given.deviceType);
    const { token, ...fields } = given;
    if (token !== undefined && repository.findByToken(token) !== undefined) throw tokenTaken();
    return {
      label: "",
      assetId: null,
      parentDeviceId: null,
      role: "DEVICE",
      inactivityTimeoutMs: null,
      targetDashboardId: defaults?.targetDashboardId ?? null,
      targetStateId: defaults?.targetStateId ?? null,
      commandTransport: null,
      tags: [],
      ...fieldsOf(fields),
      profileId,
      ...checkReferences(principal, given),
      name: given.name,
      deviceType: given.deviceType,
      deviceId: newId<DeviceId>(),
      tenantId,
      token: token ?? randomToken(TOKEN_BYTES),
      createdAt: now,
      updatedAt: now,
    };
  }

  /** Within a transaction. */
  function store(device: Device, given: NewDevice): void {
    repository.insert(device);
    saveDevEui(device.tenantId, device.deviceId, given.lorawanDevEui);
    applyToType(device, given.applyToAllOfType);
  }

  return {
    listIds: (tenantId) => repository.listIds(tenantId),
    list: (principal, filter) => repository.list(principal.tenantId, principal.devices, filter),
    get,
    ensureVisible,
    ensureAllVisible: (principal, deviceIds) =>
      deviceIds.map((deviceId) => ensureVisible(principal, deviceId)),
    create(principal, given) {
      ensureAllDevices(principal, "create one");
      const device = build(principal, given);
      deps.transact(() => {
        ensureRoom(principal.tenantId, 1);
        store(device, given);
      });
      events.emit("device.created", device);
      return get(principal, device.deviceId);
    },
    createMany(principal, givens, each) {
      ensureAllDevices(principal, "create some");
      const defaults = defaultsOf(principal.tenantId);
      const made = givens.map((given) => ({ given, device: build(principal, given, defaults) }));
      deps.transact(() => {
        ensureRoom(principal.tenantId, made.length);
        for (const [index, { given, device }] of made.entries()) {
          store(device, given);
          each(device, index);
        }
      });
      for (const { device } of made) events.emit("device.created", device);
      return made.map(({ device }) => device);
    },
    check(principal, given) {
      checkReferences(principal, given);
      if (given.token !== undefined && repository.findByToken(given.token) !== undefined) throw tokenTaken();
      const devEui = given.lorawanDevEui?.toLowerCase();
      if (devEui !== undefined && repository.findByDevEui(principal.tenantId, devEui) !== undefined)
        throw devEuiTaken();
    },
    roomFor(tenantId) {
      const limit = deps.devicesMax(tenantId);
      return limit === null ? null : Math.max(0, limit - repository.countOf(tenantId));
    },
    update(principal, deviceId, changes) {
      const { activity: _, lorawanDevEui: __, ...current } = get(principal, deviceId);
      if (changes.applyToAllOfType === true) ensureAllDevices(principal, "change all of a type");
      const device: Device = {
        ...current,
        ...fieldsOf(changes),
        ...checkReferences(principal, changes, current.deviceId),
        updatedAt: clock.now(),
      };
      const hasChildren =
        current.role === "GATEWAY" &&
        repository.list(principal.tenantId, "all", { parentDeviceId: current.deviceId, limit: 1, offset: 0 })
          .total > 0;
      if (hasChildren && device.role === "DEVICE")
        throw invalid("device.has_children", "role: this gateway has child devices; detach them first");
      deps.transact(() => {
        repository.update(device);
        saveDevEui(principal.tenantId, device.deviceId, changes.lorawanDevEui);
        applyToType(device, changes.applyToAllOfType);
      });
      events.emit("device.updated", device);
      return get(principal, device.deviceId);
    },
    async delete(principal, deviceId) {
      const id = ensureVisible(principal, deviceId);
      repository.delete(id);
      events.emit("device.deleted", { tenantId: principal.tenantId, deviceId: id });
      await deps.deleteTelemetry(id);
    },
    rotateToken(principal, deviceId) {
      const { activity: _, lorawanDevEui: __, ...device } = get(principal, deviceId);
      const token = randomToken(TOKEN_BYTES);
      repository.update({ ...device, token, updatedAt: clock.now() });
      events.emit("device.credentials", device);
      return { type: "ACCESS_TOKEN", token };
    },
    listChildren(principal, deviceId) {
      const parentDeviceId = ensureVisible(principal, deviceId);
      return repository.list(principal.tenantId, principal.devices, {
        parentDeviceId,
        limit: 100_000,
        offset: 0,
      }).items;
    },
    countTypes: ({ tenantId, devices }) => repository.countTypes(tenantId, devices),
    countAssets: ({ tenantId, devices }) => repository.countAssets(tenantId, devices),
    getTypeDefaults: ({ tenantId }, deviceType) =>
      repository.findTypeDefaults(tenantId, deviceType) ?? {
        deviceType,
        targetDashboardId: null,
        targetStateId: null,
      },
  };
}
