import { DomainError, detail, forbidden, invalid } from "../../lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { DependentRows } from "../../platform/database/dependent-rows.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { DomainEvents } from "../events.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { Principal } from "../users/users.types.ts";
import { createDeviceBuilding, type DeviceBuildingDeps, isVisible } from "./device-building.ts";
import {
  childElsewhere,
  childNameInvalid,
  childrenLimit,
  childTypeInvalid,
  childUnknown,
  devEuiTaken,
  deviceNotFound,
  nameTaken,
} from "./devices.errors.ts";
import type { DevicesRepository, StateCount, TagCount, TypeCount } from "./devices.repository.ts";
import type {
  ChildRef,
  Device,
  DeviceChanges,
  DeviceFilter,
  DeviceWithActivity,
  GatewayRef,
  NewDevice,
  TypeDefaults,
} from "./devices.types.ts";
import type { MembershipRepository } from "./membership.repository.ts";

const NAME_CHARACTERS_MAX = 256;
const TYPE_CHARACTERS_MAX = 128;
const TYPE_DEFAULT = "default";
/** Max. children that a gateway creates itself, so that invented names do not fill the site. Users can attach more. */
const CHILDREN_CREATED_MAX = 10_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Creates the access to children by the names that their gateways use. */
function createDeviceChildren(deps: {
  repository: DevicesRepository;
  profiles: Pick<ProfilesService, "ensure" | "settingsOf" | "forType">;
  building: ReturnType<typeof createDeviceBuilding>;
  transact: <Result>(work: () => Result extends Promise<unknown> ? never : Result) => Result;
  events: EventBus<DomainEvents>;
}) {
  const { repository, profiles, building } = deps;

  function typeOf(input: unknown): string {
    if (input === undefined || input === null || input === "") return TYPE_DEFAULT;
    if (typeof input !== "string" || input.length > TYPE_CHARACTERS_MAX || CONTROL_CHARACTERS.test(input))
      throw childTypeInvalid(TYPE_CHARACTERS_MAX);
    return input;
  }

  function ensureMayCreate(gateway: GatewayRef, name: string, created: number): void {
    const isText = name.trim() !== "" && name.isWellFormed() && !CONTROL_CHARACTERS.test(name);
    if (!isText || name.length > NAME_CHARACTERS_MAX) throw childNameInvalid(NAME_CHARACTERS_MAX);
    if (repository.hasNameElsewhere(gateway, name)) throw childElsewhere(name);
    if (!profiles.settingsOf(gateway.tenantId, gateway.profileId).createsChildren) throw childUnknown(name);
    if (created >= CHILDREN_CREATED_MAX) throw childrenLimit(CHILDREN_CREATED_MAX);
  }

  /** Returns the function that creates children within a transaction. */
  function creating(gateway: GatewayRef) {
    const { deviceId: parentDeviceId, tenantId } = gateway;
    const room = building.roomFor(tenantId);
    const children = repository.countChildren(parentDeviceId);
    // Children inherit the asset, so users with access to it see them, too.
    const assetId = repository.find(parentDeviceId)?.assetId ?? null;
    const created: Device[] = [];
    const create = ({ name, type }: ChildRef): Device => {
      ensureMayCreate(gateway, name, children + created.length);
      const deviceType = typeOf(type);
      if (room !== null && created.length >= room) building.ensureRoom(tenantId, 1); // throws
      const { profileId } = profiles.forType(tenantId, deviceType);
      const defaults = building.defaultsOf(tenantId, profileId);
      const device = building.assemble(tenantId, { name, deviceType, assetId }, { parentDeviceId }, defaults);
      building.insert(device, {});
      created.push(device);
      return device;
    };
    return { createdDevices: created, create };
  }

  /** Creates several children in one transaction, so that a gateway with a thousand new names does not block others. */
  function createMissing(gateway: GatewayRef, refs: readonly ChildRef[]): Array<DeviceId | DomainError> {
    const { createdDevices: created, results } = deps.transact(() => {
      const { createdDevices: created, create } = creating(gateway);
      const results = refs.map((ref) => {
        try {
          return create(ref).deviceId;
        } catch (error) {
          if (error instanceof DomainError) return error;
          throw error;
        }
      });
      return { createdDevices: created, results };
    });
    for (const device of created) deps.events.emit("device.created", device);
    return results;
  }

  const findChild = (gateway: GatewayRef, name: string) =>
    repository.findChild(gateway.deviceId, name)?.deviceId;

  return {
    /**
     * Returns the gateway's children by name, in the order of `refs`, creating missing ones; an error for each unavailable child. `forbidden` for
     * the name of a device that is not its child: a gateway only acts for children that it created or a user attached.
     */
    ensureChildren(gateway: GatewayRef, refs: readonly ChildRef[]): Array<DeviceId | DomainError> {
      const found = refs.map(({ name }) => findChild(gateway, name));
      const missing = refs.filter((_, index) => found[index] === undefined);
      const created = missing.length === 0 ? [] : createMissing(gateway, missing);
      return found.map((deviceId) => deviceId ?? (created.shift() as DeviceId | DomainError)); // one for each that is missing
    },
    findChild,
    listIds: (gatewayId: DeviceId): DeviceId[] => repository.listChildIds(gatewayId),
  };
}

/** Creates the checks of a caller's access to devices. */
function createDeviceVisibility(repository: MembershipRepository) {
  /** Returns all given ids. @throws DomainError `not_found` if the caller may not see one of them */
  function ensureAllVisible(principal: Principal, deviceIds: readonly string[]): DeviceId[] {
    const ids = deviceIds as readonly DeviceId[]; // a wrong id is simply not found
    const hidden = ids.find((id) => !isVisible(principal, id));
    if (hidden !== undefined) throw deviceNotFound(hidden);
    if (!repository.hasAll(principal.tenantId, ids))
      throw deviceNotFound(ids.find((id) => !repository.hasAll(principal.tenantId, [id])) ?? "");
    return [...ids];
  }

  return {
    ensureAllVisible,
    ensureVisible(principal: Principal, deviceId: string): DeviceId {
      ensureAllVisible(principal, [deviceId]);
      return deviceId as DeviceId; // of a device that was just found
    },
  };
}

interface DevicesServiceDeps extends DeviceBuildingDeps {
  readonly transact: <Result>(work: () => Result extends Promise<unknown> ? never : Result) => Result;
  readonly deleteTelemetry: (deviceId: DeviceId) => Promise<void>;
  readonly dependents: DependentRows;
  readonly events: EventBus<DomainEvents>;
}

/** Children detached per transaction, so that other work runs in between. */
const CHILDREN_PER_STEP = 25;

/** Creates the service through which users manage devices. Devices that the caller may not see yield `not_found`. */
export function createDevicesService(deps: DevicesServiceDeps) {
  const { repository, clock, events } = deps;
  const building = createDeviceBuilding(deps);
  const { ensureVisible, ensureAllVisible } = createDeviceVisibility(repository);

  function get(principal: Principal, deviceId: string): DeviceWithActivity {
    const device = repository.findWithActivity(principal.tenantId, deviceId as DeviceId); // a wrong id is simply not found
    if (device === undefined || !isVisible(principal, device.deviceId)) throw deviceNotFound(deviceId);
    return device;
  }

  function ensureAllDevices({ devices }: Principal, action: Text): void {
    if (devices !== "all") throw forbidden("device.not_granted", { action });
  }

  /**
   * Integrations also find devices by name, and refuse messages if two have it: a caller without access to all devices could stop another device so.
   * @throws DomainError `conflict`
   */
  function ensureNameMayChange({ devices, tenantId }: Principal, before: Device, after: Device): void {
    if (devices === "all" || after.name === before.name) return;
    if (repository.findNamed(tenantId, after.name).length > 0) throw nameTaken();
  }

  function build(
    principal: Principal,
    newDevice: NewDevice,
    defaults = building.defaultsOf(principal.tenantId),
  ): Device {
    building.ensureTokenFree(principal.tenantId, newDevice.token);
    const references = building.checkReferences(principal, newDevice);
    const device = building.assemble(principal.tenantId, newDevice, references, defaults);
    building.ensureFlat(device);
    return device;
  }

  return {
    /** Returns the names in use. */
    listNames: (tenantId: TenantId): Set<string> => repository.listNames(tenantId),
    listIds: (tenantId: TenantId): Array<{ deviceId: DeviceId; profileId: ProfileId }> =>
      repository.listIds(tenantId),
    /** Returns the ids of all devices visible to the caller. */
    listVisibleIds: (principal: Principal): DeviceId[] =>
      repository.listIdsByName(principal.tenantId, principal.devices, { limit: 0, offset: 0 }),
    list: (principal: Principal, filter: DeviceFilter): { items: DeviceWithActivity[]; total: number } =>
      repository.list(principal.tenantId, principal.devices, filter),
    /** Yields all devices that the caller may see, in the order of their creation, in pages. */
    pages: ({ tenantId, devices }: Principal, limit: number): Iterable<DeviceWithActivity[]> =>
      repository.pages(tenantId, devices, limit),
    get,
    /** Returns at most two devices of the tenant with exactly this name, for other modules. */
    findNamed: (tenantId: TenantId, name: string): Device[] => repository.findNamed(tenantId, name),
    /** Returns the id of a device that the caller may see. @throws DomainError `not_found` */
    ensureVisible,
    /** Returns the profile of each device that the caller may see. */
    profilesOf: (principal: Principal, deviceIds: readonly string[]): Map<DeviceId, ProfileId> =>
      new Map(
        deviceIds.flatMap((deviceId) => {
          const device = repository.find(deviceId as DeviceId); // a wrong id is simply not found
          const isOwn = device?.tenantId === principal.tenantId && isVisible(principal, device.deviceId);
          return isOwn ? [[device.deviceId, device.profileId] as const] : [];
        }),
      ),
    ensureAllVisible,
    create(principal: Principal, newDevice: NewDevice): DeviceWithActivity {
      ensureAllDevices(principal, detail("action.create_device"));
      const device = build(principal, newDevice);
      deps.transact(() => {
        building.ensureRoom(principal.tenantId, 1);
        building.insert(device, newDevice);
      });
      events.emit("device.created", device);
      return get(principal, device.deviceId);
    },
    /** Creates all devices or none. `each` is called for every device within the transaction; if it throws, all are rolled back. */
    createMany(
      principal: Principal,
      givens: readonly NewDevice[],
      each: (device: Device, index: number) => void,
    ): Device[] {
      ensureAllDevices(principal, detail("action.create_devices"));
      const defaults = building.defaultsOf(principal.tenantId);
      const created = givens.map((newDevice) => ({
        given: newDevice,
        device: build(principal, newDevice, defaults),
      }));
      deps.transact(() => {
        building.ensureRoom(principal.tenantId, created.length);
        for (const [index, { given, device }] of created.entries()) {
          building.insert(device, given);
          each(device, index);
        }
      });
      for (const { device } of created) events.emit("device.created", device);
      return created.map(({ device }) => device);
    },
    /** @throws DomainError as `create` would for missing references; writes nothing */
    check(principal: Principal, newDevice: NewDevice): void {
      const { parentDeviceId = null } = building.checkReferences(principal, newDevice);
      building.ensureFlat({ role: newDevice.role ?? "DEVICE", parentDeviceId });
      building.ensureChildNameFree(parentDeviceId, newDevice.childName);
      building.ensureTokenFree(principal.tenantId, newDevice.token);
      const devEui = newDevice.lorawanDevEui?.toLowerCase();
      if (devEui !== undefined && repository.findByDevEui(principal.tenantId, devEui) !== undefined)
        throw devEuiTaken();
    },
    /** Returns the number of further devices that the tenant's plan allows; null for no limit. */
    roomFor: building.roomFor,
    ensureRoom: building.ensureRoom,
    update(principal: Principal, deviceId: string, changes: DeviceChanges): DeviceWithActivity {
      const current = omit(get(principal, deviceId), "activity", "lorawanDevEui");
      if (changes.applyToAllOfType === true)
        ensureAllDevices(principal, detail("action.change_devices_of_type"));
      const device: Device = {
        ...current,
        ...building.fieldsOf(changes),
        ...building.checkReferences(principal, changes, current.deviceId),
        updatedAt: clock.now(),
      };
      if (changes.role !== undefined || changes.parentDeviceId !== undefined) building.ensureFlat(device);
      ensureNameMayChange(principal, current, device);
      const losesRole = current.role === "GATEWAY" && device.role === "DEVICE";
      if (losesRole && repository.countChildren(current.deviceId) > 0) throw invalid("device.has_children");
      deps.transact(() => building.update(device, changes));
      events.emit("device.updated", device);
      if (device.profileId !== current.profileId)
        events.emit("key-metadata.changed", { tenantId: device.tenantId });
      return get(principal, device.deviceId);
    },
    /** Resolves when the telemetry is deleted too. */
    async delete(principal: Principal, deviceId: string): Promise<void> {
      const id = ensureVisible(principal, deviceId);
      const isDeleted = await deleteWithChildren(deps, principal.tenantId, id);
      if (!isDeleted) throw deviceNotFound(id); // another request deleted it in the meantime
      await deps.deleteTelemetry(id);
    },
    /** Deletes the devices of a tenant being deleted, each with its telemetry, so that a retry after a failure deletes the rest. */
    async deleteAll(tenantId: TenantId): Promise<void> {
      for (const { deviceId } of repository.listIds(tenantId)) {
        await deleteWithChildren(deps, tenantId, deviceId);
        await deps.deleteTelemetry(deviceId);
      }
    },
    countStates: ({ tenantId, devices }: Principal, own: "with" | "without"): StateCount[] =>
      repository.countStates(tenantId, devices, own),
    /** Returns the number of active devices of every tenant that has devices. */
    countActiveByTenant: (): Map<TenantId, number> => repository.countActiveByTenant(),
    countTags: ({ tenantId, devices }: Principal): Promise<TagCount[]> =>
      repository.countTags(tenantId, devices),
    countTypes: ({ tenantId, devices }: Principal, profileId?: string): TypeCount[] =>
      repository.countTypes(tenantId, devices, profileId),
    countAssets: ({ tenantId, devices }: Principal): Array<{ assetId: string; count: number }> =>
      repository.countAssets(tenantId, devices),
    getTypeDefaults: ({ tenantId }: Principal, deviceType: string): TypeDefaults =>
      repository.findTypeDefaults(tenantId, deviceType) ?? {
        deviceType,
        targetDashboardId: null,
        targetStateId: null,
      },
    /** Access for gateways, which act for themselves instead of a user. */
    children: createDeviceChildren({ ...deps, building }),
  };
}

/**
 * Deletes a device; its children stay, without a gateway. Other work runs in between, because there may be 10,000 children, and as many rows of a
 * device. Returns false if the device was deleted meanwhile, so that its deletion is announced once.
 */
async function deleteWithChildren(
  deps: Pick<DevicesServiceDeps, "repository" | "transact" | "events" | "dependents">,
  tenantId: TenantId,
  deviceId: DeviceId,
): Promise<boolean> {
  const { repository, transact, events, dependents } = deps;
  let isDeleted = false;
  await dependents.clear("devices", [deviceId]);
  for (let isLast = false; !isLast; ) {
    const later = workShare.pause();
    if (later !== undefined) await later;
    const detached = transact(() => {
      const ids = repository.detachChildren(deviceId, CHILDREN_PER_STEP);
      isLast = ids.length < CHILDREN_PER_STEP;
      if (isLast) isDeleted = repository.delete(deviceId);
      return ids;
    });
    if (isDeleted) events.emit("device.deleted", { tenantId, deviceId });
    for (const child of detached) events.emit("device.updated", { tenantId, deviceId: child });
  }
  return isDeleted;
}

export type DevicesService = ReturnType<typeof createDevicesService>;
