import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { DeviceId, ProfileId, TenantId } from "../../lib/ids.ts";
import { contains } from "../../platform/contains.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { attributes } from "../attributes/attributes.tables.ts";
import { type ChildrenRepository, createChildrenRepository } from "./children.repository.ts";
import { deviceActivity, devices, deviceTypeDefaults } from "./devices.tables.ts";
import {
  type Device,
  type DeviceActivity,
  type DeviceFilter,
  type DeviceWithActivity,
  noActivity,
  type TypeDefaults,
} from "./devices.types.ts";

/** The attribute that maps LoRaWAN uplinks to a device (SERVER scope, 16 lower-case hexadecimal digits). */
export const DEV_EUI_KEY = "integration.lorawan.dev_eui";

/** The devices that a list may show: all of the tenant, or these. */
export type Visible = "all" | ReadonlySet<DeviceId>;

export interface DevicesRepository extends ChildrenRepository {
  list(
    tenantId: TenantId,
    visible: Visible,
    filter: DeviceFilter,
  ): { items: DeviceWithActivity[]; total: number };
  /** Ids of all devices of a tenant, with what retention needs. */
  listNames(tenantId: TenantId): Set<string>;
  listIds(tenantId: TenantId): Array<{ deviceId: DeviceId; profileId: ProfileId }>;
  find(deviceId: DeviceId): Device | undefined;
  findWithActivity(tenantId: TenantId, deviceId: DeviceId): DeviceWithActivity | undefined;
  findByToken(token: string): Device | undefined;
  /** Two at most. */
  findNamed(tenantId: TenantId, name: string): Device[];
  findByDevEui(tenantId: TenantId, devEui: string): DeviceId | undefined;
  countOf(tenantId: TenantId): number;
  insert(device: Device): void;
  update(device: Device): void;
  delete(deviceId: DeviceId): void;
  countTypes(tenantId: TenantId, visible: Visible): Array<{ deviceType: string; count: number }>;
  countAssets(tenantId: TenantId, visible: Visible): Array<{ assetId: string; count: number }>;
  findTypeDefaults(tenantId: TenantId, deviceType: string): TypeDefaults | undefined;
  saveTypeDefaults(tenantId: TenantId, defaults: TypeDefaults): void;
  /** Gives every device of the type the same dashboard and state. */
  applyToType(tenantId: TenantId, defaults: TypeDefaults, now: number): void;
}

type Row = typeof devices.$inferSelect;

const toDevice = (row: Row): Device => ({
  ...row,
  deviceId: row.deviceId as DeviceId, // ids in our own tables were minted by us
  tenantId: row.tenantId as TenantId,
  profileId: row.profileId as ProfileId,
  parentDeviceId: row.parentDeviceId as DeviceId | null,
});

const sortable: Record<string, SQL> = {
  name: sql`${devices.name} COLLATE NOCASE`,
  deviceType: sql`${devices.deviceType}`,
  createdAt: sql`${devices.createdAt}`,
  lastActivityAt: sql`coalesce(${deviceActivity.lastActivityAt}, 0)`,
  active: sql`coalesce(${deviceActivity.active}, 0)`,
};

function orderOf(sort: string | undefined): SQL[] {
  const column = sortable[(sort ?? "name").replace(/^-/, "")] ?? sql`${devices.name} COLLATE NOCASE`;
  return [sort?.startsWith("-") ? desc(column) : asc(column), asc(devices.deviceId)];
}

function whereOf(tenantId: TenantId, visible: Visible, filter: Partial<DeviceFilter>): SQL | undefined {
  const conditions: Array<SQL | undefined> = [eq(devices.tenantId, tenantId)];
  // One JSON parameter: a list of ids may be longer than the number of parameters that SQLite takes.
  if (visible !== "all")
    conditions.push(
      sql`${devices.deviceId} IN (SELECT value FROM json_each(${JSON.stringify([...visible])}))`,
    );
  if (filter.deviceType !== undefined) conditions.push(eq(devices.deviceType, filter.deviceType));
  if (filter.parentDeviceId !== undefined) conditions.push(eq(devices.parentDeviceId, filter.parentDeviceId));
  if (filter.assetId !== undefined) conditions.push(eq(devices.assetId, filter.assetId));
  if (filter.role !== undefined) conditions.push(eq(devices.role, filter.role));
  if (filter.active !== undefined)
    conditions.push(sql`coalesce(${deviceActivity.active}, 0) = ${filter.active ? 1 : 0}`);
  if (filter.tag !== undefined)
    conditions.push(sql`EXISTS (SELECT 1 FROM json_each(${devices.tags}) WHERE value = ${filter.tag})`);
  if (filter.search !== undefined && filter.search !== "") {
    const columns = [devices.name, devices.label, devices.deviceType];
    const { search } = filter;
    conditions.push(or(...columns.map((column) => contains(column, search)), eq(devices.deviceId, search)));
  }
  return and(...conditions);
}

export function createDevicesRepository({ orm }: MainDatabase): DevicesRepository {
  const byId = orm
    .select()
    .from(devices)
    .where(eq(devices.deviceId, sql.placeholder("deviceId")))
    .prepare();
  const byToken = orm
    .select()
    .from(devices)
    .where(eq(devices.token, sql.placeholder("token")))
    .prepare();
  // Thousands at once in a bulk import. The tags go in as the JSON text that their column holds.
  const columns = Object.keys(getTableColumns(devices)) as (keyof Device)[];
  const insert = orm
    .insert(devices)
    .values(
      Object.fromEntries(
        columns.map((name) => [
          name,
          name === "tags" ? sql`${sql.placeholder(name)}` : sql.placeholder(name),
        ]),
      ) as unknown as Row, // every column has its placeholder
    )
    .prepare();
  const devEui = sql<
    string | null
  >`(SELECT json_extract(value, '$') FROM attributes WHERE attributes.device_id = ${devices.deviceId} AND scope = 'SERVER' AND key = ${DEV_EUI_KEY})`;
  const joined = () =>
    orm
      .select({ device: devices, activity: deviceActivity, devEui })
      .from(devices)
      .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId));

  const one = joined()
    .where(
      and(
        eq(devices.tenantId, sql.placeholder("tenantId")),
        eq(devices.deviceId, sql.placeholder("deviceId")),
      ),
    )
    .prepare();

  function withActivity(row: {
    device: Row;
    activity: (DeviceActivity & { deviceId: string }) | null;
    devEui: string | null;
  }): DeviceWithActivity {
    const { deviceId: _, ...activity } = row.activity ?? { deviceId: "", ...noActivity };
    return { ...toDevice(row.device), activity, lorawanDevEui: row.devEui };
  }

  return {
    ...createChildrenRepository(orm, toDevice),
    list(tenantId, visible, filter) {
      const where = whereOf(tenantId, visible, filter);
      const items = joined()
        .where(where)
        .orderBy(...orderOf(filter.sort))
        .limit(filter.limit)
        .offset(filter.offset)
        .all();
      const total = orm
        .select({ total: count() })
        .from(devices)
        .leftJoin(deviceActivity, eq(deviceActivity.deviceId, devices.deviceId))
        .where(where)
        .get()?.total;
      return { items: items.map(withActivity), total: total ?? 0 };
    },
    listNames: (tenantId) =>
      new Set(
        orm
          .select({ name: devices.name })
          .from(devices)
          .where(eq(devices.tenantId, tenantId))
          .all()
          .map(({ name }) => name),
      ),
    listIds: (tenantId) =>
      orm
        .select({ deviceId: devices.deviceId, profileId: devices.profileId })
        .from(devices)
        .where(eq(devices.tenantId, tenantId))
        .all()
        .map((row) => ({ deviceId: row.deviceId as DeviceId, profileId: row.profileId as ProfileId })), // minted by us
    find(deviceId) {
      const row = byId.get({ deviceId });
      return row && toDevice(row);
    },
    findWithActivity(tenantId, deviceId) {
      const row = one.get({ tenantId, deviceId });
      return row && withActivity(row);
    },
    findByToken(token) {
      const row = byToken.get({ token });
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
      return row?.deviceId as DeviceId | undefined; // minted by us
    },
    countOf: (tenantId) =>
      orm.select({ count: count() }).from(devices).where(eq(devices.tenantId, tenantId)).get()?.count ?? 0,
    insert: (device) => void insert.run({ ...device, tags: JSON.stringify(device.tags) }),
    update: (device) =>
      void orm
        .update(devices)
        .set({ ...device, tags: [...device.tags] })
        .where(eq(devices.deviceId, device.deviceId))
        .run(),
    delete: (deviceId) =>
      void orm
        .delete(devices)
        .where(inArray(devices.deviceId, [deviceId]))
        .run(),
    countTypes: (tenantId, visible) =>
      orm
        .select({ deviceType: devices.deviceType, count: count() })
        .from(devices)
        .where(whereOf(tenantId, visible, {}))
        .groupBy(devices.deviceType)
        .orderBy(asc(devices.deviceType))
        .all(),
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
