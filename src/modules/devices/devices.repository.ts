import { and, asc, count, eq, getTableColumns, inArray, isNotNull, not, sql } from "drizzle-orm";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { DeviceState } from "../../lib/devices/device-state.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { VisibleDevices } from "../../platform/database/is-among.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { attributes } from "../attributes/attributes.tables.ts";
import { type ChildrenRepository, createChildrenRepository } from "./children.repository.ts";
import { type DeviceTokens, deviceTokensOf } from "./device-tokens.ts";
import { tagsUncountable } from "./devices.errors.ts";
import { deviceActivity, devices, deviceTypeDefaults } from "./devices.tables.ts";
import {
  DEV_EUI_KEY,
  type Device,
  type DeviceFilter,
  type DeviceWithActivity,
  noActivity,
  type TypeDefaults,
} from "./devices.types.ts";
import { type TextFilter, textCondition, whereOf } from "./devices-filter.repository.ts";
import {
  createDeviceLists,
  devicesInParts,
  type SelectedDevice,
  selectDevices,
} from "./devices-list.repository.ts";
import { deviceState, isOwnDevice } from "./devices-state.repository.ts";
import { createMembershipRepository, type MembershipRepository } from "./membership.repository.ts";

/** Max. different tags of a site that are listed: the list is sorted and searched in one go. */
const TAGS_LISTED_MAX = 20_000;
/** Devices per query; with 64 tags each, about 5 ms. */
const DEVICES_PER_STEP = 500;

export interface StateCount {
  readonly state: DeviceState;
  readonly count: number;
}

export interface TagCount {
  readonly tag: string;
  readonly count: number;
}

export interface TypeCount {
  readonly deviceType: string;
  readonly count: number;
}

const isOfProfile = (profileId: string | undefined) =>
  profileId === undefined ? undefined : eq(devices.profileId, profileId as ProfileId); // only compared

export interface DevicesRepository extends ChildrenRepository, MembershipRepository {
  list(
    tenantId: TenantId,
    visible: VisibleDevices,
    filter: DeviceFilter,
  ): { items: DeviceWithActivity[]; total: number };
  /** Yields all devices in the order of their creation, in pages. */
  pages(tenantId: TenantId, visible: VisibleDevices, limit: number): Iterable<DeviceWithActivity[]>;
  /** Like `list`, for ids only. */
  listPageIds(
    tenantId: TenantId,
    visible: VisibleDevices,
    filter: DeviceFilter,
  ): { deviceIds: DeviceId[]; total: number };
  /** Returns the ids of all devices of a list, on all pages, by name. */
  listIdsByName(tenantId: TenantId, visible: VisibleDevices, filter: DeviceFilter): DeviceId[];
  /** Returns the devices that match the filters. Reads all texts of the tenant's devices, in slices; fewer once `signal` is aborted. */
  findByText(tenantId: TenantId, filter: TextFilter, signal: AbortSignal): Promise<DeviceId[]>;
  /** Returns the ids of the devices of all tenants. */
  listAllIds(): Set<DeviceId>;
  /** Returns deleted devices whose telemetry may still exist. */
  listDeleted(): DeviceId[];
  /** Removes deleted devices whose telemetry is gone. */
  forgetDeleted(ids: readonly DeviceId[]): void;
  find(deviceId: DeviceId): Device | undefined;
  findWithActivity(tenantId: TenantId, deviceId: DeviceId): DeviceWithActivity | undefined;
  /** Returns the keyed hash by which a device is looked up by token. */
  hashOf(token: string): string;
  findByTokenHash(tokenHash: string): Device | undefined;
  /** Returns at most two devices. */
  findNamed(tenantId: TenantId, name: string): Device[];
  findByDevEui(tenantId: TenantId, devEui: string): DeviceId | undefined;
  countOf(tenantId: TenantId): number;
  insert(device: Device): void;
  /** Saves all fields except the token, which `CredentialsRepository` saves. */
  update(device: Device): void;
  /** Returns false if the device does not exist. */
  delete(deviceId: DeviceId): boolean;
  /** Counts devices by type; with a profile, only its devices. */
  countTypes(tenantId: TenantId, visible: VisibleDevices, profileId?: string): TypeCount[];
  /** Counts devices by state, omitting states without devices. `own`: whether gateways' own devices count. */
  countStates(tenantId: TenantId, visible: VisibleDevices, own: "with" | "without"): StateCount[];
  /** Returns the number of devices in the state ACTIVE per tenant with devices, excluding gateways' own devices. */
  countActiveByTenant(): Map<TenantId, number>;
  countTags(tenantId: TenantId, visible: VisibleDevices): Promise<TagCount[]>;
  countAssets(tenantId: TenantId, visible: VisibleDevices): Array<{ assetId: string; count: number }>;
  findTypeDefaults(tenantId: TenantId, deviceType: string): TypeDefaults | undefined;
  saveTypeDefaults(tenantId: TenantId, defaults: TypeDefaults): void;
  /** Sets the default dashboard and state of all devices of the type. */
  applyToType(tenantId: TenantId, defaults: TypeDefaults, now: number): void;
}

type Row = typeof devices.$inferSelect;

/** Converts a row. The token is decrypted only on access, because most lists do not need it. */
const toDeviceWith = ({ tokenHash: _, tokenSealed, ...row }: Row, tokens: DeviceTokens): Device => ({
  ...row,
  get token() {
    return tokens.open(tokenSealed) ?? ""; // undefined if the key was lost
  },
  deviceId: row.deviceId,
  tenantId: row.tenantId,
  profileId: row.profileId,
  parentDeviceId: row.parentDeviceId,
});

export function createDevicesRepository(database: MainDatabase): DevicesRepository {
  const { orm } = database;
  const tokens = deviceTokensOf(database);
  const toDevice = (row: Row) => toDeviceWith(row, tokens);
  const byId = lazyStatement(() =>
    orm
      .select()
      .from(devices)
      .where(eq(devices.deviceId, sql.placeholder("deviceId"))),
  );
  const byToken = lazyStatement(() =>
    orm
      .select()
      .from(devices)
      .where(eq(devices.tokenHash, sql.placeholder("tokenHash"))),
  );
  // A bulk import inserts thousands in a burst. Tags are inserted as the JSON text of their column.
  const columns = Object.keys(getTableColumns(devices)) as (keyof Row)[];
  const insert = lazyStatement(() =>
    orm.insert(devices).values(
      Object.fromEntries(
        columns.map((name) => [
          name,
          name === "tags" ? sql`${sql.placeholder(name)}` : sql.placeholder(name),
        ]),
      ) as unknown as Row, // every column has its placeholder
    ),
  );
  const item = lazyStatement(() =>
    selectDevices(orm).where(
      and(
        eq(devices.tenantId, sql.placeholder("tenantId")),
        eq(devices.deviceId, sql.placeholder("deviceId")),
      ),
    ),
  );

  function withActivity(row: SelectedDevice): DeviceWithActivity {
    const activity = omit(row.activity ?? { deviceId: "", ...noActivity }, "deviceId");
    return Object.assign(toDevice(row.device), { activity, lorawanDevEui: row.devEui });
  }

  return {
    ...createChildrenRepository(orm, toDevice),
    ...createMembershipRepository(orm),
    ...createDeviceLists(orm, withActivity),
    find(deviceId) {
      const row = byId.get({ deviceId });
      return row && toDevice(row);
    },
    findWithActivity(tenantId, deviceId) {
      const row = item.get({ tenantId, deviceId });
      return row && withActivity(row);
    },
    hashOf: tokens.hash,
    findByTokenHash(tokenHash) {
      const row = byToken.get({ tokenHash });
      return row && toDevice(row);
    },
    findNamed: (tenantId, name) =>
      orm
        .select()
        .from(devices)
        .where(and(eq(devices.tenantId, tenantId), eq(devices.name, name)))
        .limit(2)
        .all()
        .map(toDevice),
    findByDevEui(tenantId, value) {
      const row = orm
        .select({ deviceId: attributes.deviceId })
        .from(attributes)
        .innerJoin(devices, eq(devices.deviceId, attributes.deviceId))
        .where(
          and(
            eq(devices.tenantId, tenantId),
            eq(attributes.key, DEV_EUI_KEY),
            eq(attributes.scope, "SERVER"),
            eq(attributes.value, JSON.stringify(value)),
          ),
        )
        .get();
      return row?.deviceId;
    },
    countOf: (tenantId) =>
      orm.select({ count: count() }).from(devices).where(eq(devices.tenantId, tenantId)).get()?.count ?? 0,
    insert: ({ token, ...device }) =>
      void insert.run({ ...device, ...tokens.columns(token), tags: JSON.stringify(device.tags) }),
    update: ({ token: _, ...device }) =>
      void orm
        .update(devices)
        .set({ ...device, tags: [...device.tags] })
        .where(eq(devices.deviceId, device.deviceId))
        .run(),
    delete: (deviceId) =>
      orm
        .delete(devices)
        .where(inArray(devices.deviceId, [deviceId]))
        .returning({ deviceId: devices.deviceId })
        .all().length > 0,
    countTypes: (tenantId, visible, profileId) =>
      orm
        .select({ deviceType: devices.deviceType, count: count() })
        .from(devices)
        .where(and(whereOf(tenantId, visible, {}), isOfProfile(profileId)))
        .groupBy(devices.deviceType)
        .orderBy(isOwnDevice, asc(devices.deviceType))
        .all(),
    countStates: (tenantId, visible, own) =>
      orm
        .select({ state: deviceState, count: count() })
        .from(devices)
        .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId))
        .where(and(whereOf(tenantId, visible, {}), own === "without" ? not(isOwnDevice) : undefined))
        .groupBy(deviceState)
        .all(),
    countActiveByTenant() {
      const isActive = sql`${deviceState} = 'ACTIVE' AND NOT ${isOwnDevice}`;
      const rows = orm
        .select({ tenantId: devices.tenantId, count: sql<number>`sum(${isActive})` })
        .from(devices)
        .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId))
        .groupBy(devices.tenantId)
        .all();
      return new Map(rows.map((row) => [row.tenantId, row.count]));
    },
    async findByText(tenantId, filter, signal) {
      const found: DeviceId[] = [];
      for (const isInPart of devicesInParts(orm, tenantId, DEVICES_PER_STEP)) {
        if (signal.aborted) break;
        const rows = orm
          .select({ deviceId: devices.deviceId })
          .from(devices)
          .where(and(isInPart, textCondition(filter)))
          .all();
        found.push(...rows.map(({ deviceId }) => deviceId));
        await workShare.pause();
      }
      return found;
    },
    async countTags(tenantId, visible) {
      const counts = new Map<string, number>();
      for (const isInPart of devicesInParts(orm, tenantId, DEVICES_PER_STEP)) {
        const rows = orm
          .select({ deviceId: devices.deviceId, tags: devices.tags })
          .from(devices)
          .where(isInPart)
          .all();
        const seen = rows.filter(({ deviceId }) => visible === "all" || visible.has(deviceId));
        for (const tag of seen.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
        if (counts.size > TAGS_LISTED_MAX) throw tagsUncountable(TAGS_LISTED_MAX);
        await workShare.pause();
      }
      return [...counts]
        .map(([tag, total]) => ({ tag, count: total }))
        .sort((a, b) => (a.tag < b.tag ? -1 : 1));
    },
    countAssets: (tenantId, visible) =>
      orm
        .select({ assetId: sql<string>`${devices.assetId}`, count: count() })
        .from(devices)
        .where(and(whereOf(tenantId, visible, {}), isNotNull(devices.assetId)))
        .groupBy(devices.assetId)
        .orderBy(asc(devices.assetId))
        .all(),
    findTypeDefaults: (tenantId, deviceType) =>
      orm
        .select({
          deviceType: deviceTypeDefaults.deviceType,
          targetDashboardId: deviceTypeDefaults.targetDashboardId,
          targetStateId: deviceTypeDefaults.targetStateId,
        })
        .from(deviceTypeDefaults)
        .where(and(eq(deviceTypeDefaults.tenantId, tenantId), eq(deviceTypeDefaults.deviceType, deviceType)))
        .get(),
    saveTypeDefaults: (tenantId, defaults) =>
      void orm
        .insert(deviceTypeDefaults)
        .values({ tenantId, ...defaults })
        .onConflictDoUpdate({
          target: [deviceTypeDefaults.tenantId, deviceTypeDefaults.deviceType],
          set: { ...defaults },
        })
        .run(),
    applyToType: (tenantId, defaults, now) =>
      void orm
        .update(devices)
        .set({
          targetDashboardId: defaults.targetDashboardId,
          targetStateId: defaults.targetStateId,
          updatedAt: now,
        })
        .where(and(eq(devices.tenantId, tenantId), eq(devices.deviceType, defaults.deviceType)))
        .run(),
  };
}
