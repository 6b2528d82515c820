import { defined } from "../../lib/core/defined.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import { newId, randomToken } from "../../platform/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { devicesLimit } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { ChosenTokens } from "./chosen-tokens.ts";
import {
  childNameTaken,
  dashboardUnknown,
  devEuiTaken,
  gatewayNested,
  parentNotGateway,
  profileUnknown,
} from "./devices.errors.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { Device, DeviceChanges, NewDevice, TypeDefaults } from "./devices.types.ts";

/** 20 random bytes: 27 URL-safe characters. */
const TOKEN_BYTES = 20;

export const newToken = (): string => randomToken(TOKEN_BYTES);

export const isVisible = ({ devices }: Principal, deviceId: DeviceId): boolean =>
  devices === "all" || devices.has(deviceId);

export interface DeviceBuildingDeps {
  readonly repository: DevicesRepository;
  readonly chosenTokens: Pick<ChosenTokens, "ensureFree">;
  readonly profiles: ProfilesService;
  /** Returns the device limit of a tenant's plan; null for no limit. */
  devicesMax(tenantId: TenantId): number | null;
  /** Stores the dev EUI as the device's attribute `integration.lorawan.dev_eui`. */
  saveDevEui(deviceId: DeviceId, devEui: string | null): void;
  isDashboard(tenantId: TenantId, dashboardId: string): boolean;
  readonly clock: Clock;
}

type DeviceBuilding = ReturnType<typeof createDeviceBuilding>;

/** Defaults of new devices, looked up once for many. */
export type NewDeviceDefaults = ReturnType<DeviceBuilding["defaultsOf"]>;

/** Creates the functions that build a device, validate it against others, and store it with its related data. */
export function createDeviceBuilding(deps: DeviceBuildingDeps) {
  const { repository, profiles, clock } = deps;

  function ensureProfile(tenantId: TenantId, profileId: string): ProfileId {
    try {
      return profiles.ensure(tenantId, profileId).profileId;
    } catch (error) {
      throw error instanceof DomainError && error.kind === "not_found" ? profileUnknown() : error;
    }
  }

  /** Checks the dashboard. A dashboard that has been deleted since may stay. */
  function ensureDashboard(
    tenantId: TenantId,
    { targetDashboardId }: DeviceChanges,
    self: DeviceId | undefined,
  ): void {
    if (typeof targetDashboardId !== "string" || deps.isDashboard(tenantId, targetDashboardId)) return;
    const current = self === undefined ? undefined : repository.find(self);
    if (current?.targetDashboardId !== targetDashboardId) throw dashboardUnknown();
  }

  /** @throws DomainError unless parent, profile and dashboard belong to the tenant. Returns their ids as verified */
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
    ensureDashboard(tenantId, changes, self);
    const profileId =
      changes.profileId === undefined ? undefined : ensureProfile(tenantId, changes.profileId);
    return defined({ parentDeviceId, profileId });
  }

  /** Refuses a gateway with its own gateway, because nested gateways could form cycles. */
  function ensureFlat(device: Pick<Device, "role" | "parentDeviceId">): void {
    if (device.role === "GATEWAY" && device.parentDeviceId !== null) throw gatewayNested();
  }

  /** Returns the gateway's name for a child: the requested or earlier one, otherwise the device's name if no other child has it. */
  function childNameOf(device: Device, asked: string | null | undefined): string | null {
    const kept = asked === undefined ? device.childName : asked;
    if (device.parentDeviceId === null) return kept;
    const wanted = kept ?? device.name;
    const holder = repository.findChild(device.parentDeviceId, wanted);
    if (holder === undefined || holder.deviceId === device.deviceId) return wanted;
    if (asked === wanted) throw childNameTaken();
    return null;
  }

  function ensureChildNameFree(parentDeviceId: DeviceId | null, childName: string | null | undefined): void {
    if (parentDeviceId === null || childName == null) return;
    if (repository.findChild(parentDeviceId, childName) !== undefined) throw childNameTaken();
  }

  function saveDevEui(tenantId: TenantId, deviceId: DeviceId, devEui: string | null | undefined): void {
    if (devEui === undefined) return;
    const normalized = devEui?.toLowerCase() ?? null;
    const owner = normalized === null ? undefined : repository.findByDevEui(tenantId, normalized);
    if (owner !== undefined && owner !== deviceId) throw devEuiTaken();
    deps.saveDevEui(deviceId, normalized);
  }

  function applyToType(device: Device, apply: boolean | undefined): void {
    if (apply !== true) return;
    const { tenantId, deviceType, targetDashboardId, targetStateId } = device;
    repository.saveTypeDefaults(tenantId, { deviceType, targetDashboardId, targetStateId });
    repository.applyToType(tenantId, { deviceType, targetDashboardId, targetStateId }, clock.now());
  }

  function saveBelongings(device: Device, deviceChanges: DeviceChanges): void {
    saveDevEui(device.tenantId, device.deviceId, deviceChanges.lorawanDevEui);
    applyToType(device, deviceChanges.applyToAllOfType);
  }

  function fieldsOf(fields: DeviceChanges) {
    return defined(omit(fields, "lorawanDevEui", "applyToAllOfType", "parentDeviceId", "profileId"));
  }

  function defaultsOf(tenantId: TenantId, profileId = profiles.ensure(tenantId).profileId) {
    const types = new Map<string, TypeDefaults | undefined>();
    return {
      profileId,
      ofType(deviceType: string): TypeDefaults | undefined {
        if (!types.has(deviceType)) types.set(deviceType, repository.findTypeDefaults(tenantId, deviceType));
        return types.get(deviceType);
      },
    };
  }

  /** Assembles a device without checking references. */
  function assemble(
    tenantId: TenantId,
    { token, ...request }: NewDevice,
    references: Partial<Pick<Device, "profileId" | "parentDeviceId">>,
    { profileId, ofType }: NewDeviceDefaults,
  ): Device {
    const now = clock.now();
    const defaults = ofType(request.deviceType);
    return {
      label: "",
      assetId: null,
      parentDeviceId: null,
      childName: null,
      role: "DEVICE",
      inactivityTimeoutMs: null,
      targetDashboardId: defaults?.targetDashboardId ?? null,
      targetStateId: defaults?.targetStateId ?? null,
      commandTransport: null,
      tags: [],
      ...fieldsOf(request),
      profileId,
      ...references,
      name: request.name,
      deviceType: request.deviceType,
      deviceId: newId<DeviceId>(),
      tenantId,
      token: token ?? newToken(),
      createdAt: now,
      updatedAt: now,
    };
  }

  function roomFor(tenantId: TenantId): number | null {
    const limit = deps.devicesMax(tenantId);
    return limit === null ? null : Math.max(0, limit - repository.countOf(tenantId));
  }

  return {
    roomFor,
    checkReferences,
    ensureFlat,
    ensureChildNameFree,
    fieldsOf,
    defaultsOf,
    assemble,
    /** @throws DomainError `forbidden` if the tenant's plan does not allow this many more devices */
    ensureRoom(tenantId: TenantId, wanted: number): void {
      const limit = deps.devicesMax(tenantId);
      if (limit !== null && repository.countOf(tenantId) + wanted > limit) throw devicesLimit(limit);
    },
    ensureTokenFree(tenantId: TenantId, token: string | undefined): void {
      if (token !== undefined) deps.chosenTokens.ensureFree(tenantId, token);
    },
    /** Inserts a device within a transaction. */
    insert(device: Device, deviceChanges: DeviceChanges): void {
      repository.insert({ ...device, childName: childNameOf(device, deviceChanges.childName) });
      saveBelongings(device, deviceChanges);
    },
    /** Updates a device within a transaction. */
    update(device: Device, deviceChanges: DeviceChanges): void {
      repository.update({ ...device, childName: childNameOf(device, deviceChanges.childName) });
      saveBelongings(device, deviceChanges);
    },
  };
}
