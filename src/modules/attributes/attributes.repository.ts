import { and, asc, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { parseStored } from "../../platform/database/stored-json.ts";
import { devices } from "../devices/devices.tables.ts";
import { attributes } from "./attributes.tables.ts";
import type { AttributeHead, AttributeScope, AttributeText } from "./attributes.types.ts";

/** Max. devices whose keys are read before other work gets its turn. */
const DEVICES_PER_STEP = 20;

function* tenantKeys(
  orm: MainDatabase["orm"],
  tenantId: TenantId,
  visible: "all" | ReadonlySet<DeviceId>,
): Generator<string[]> {
  const ids = orm
    .select({ deviceId: devices.deviceId })
    .from(devices)
    .where(eq(devices.tenantId, tenantId))
    .all()
    .map((row) => row.deviceId)
    .filter((deviceId) => visible === "all" || visible.has(deviceId));
  for (let begin = 0; begin < ids.length; begin += DEVICES_PER_STEP) {
    const step = JSON.stringify(ids.slice(begin, begin + DEVICES_PER_STEP));
    yield orm
      .selectDistinct({ key: attributes.key })
      .from(attributes)
      .where(sql`${attributes.deviceId} IN (SELECT value FROM json_each(${step}))`)
      .all()
      .map((row) => row.key);
  }
}

/** Reads the JSON of one attribute. */
export const valueStatement = (orm: MainDatabase["orm"]) =>
  lazyStatement(() =>
    orm
      .select({ value: attributes.value })
      .from(attributes)
      .where(
        and(
          eq(attributes.deviceId, sql.placeholder("deviceId")),
          eq(attributes.scope, sql.placeholder("scope")),
          eq(attributes.key, sql.placeholder("key")),
        ),
      ),
  );

export function createAttributesRepository({ orm }: MainDatabase) {
  const insert = lazyStatement(() =>
    orm
      .insert(attributes)
      .values({
        deviceId: sql.placeholder("deviceId"),
        scope: sql.placeholder("scope"),
        key: sql.placeholder("key"),
        value: sql.placeholder("value"),
        updatedAt: sql.placeholder("now"),
      })
      .onConflictDoUpdate({
        target: [attributes.deviceId, attributes.scope, attributes.key],
        set: { value: sql`excluded.value`, updatedAt: sql`excluded.updated_at` },
      }),
  );
  const { deviceId: ofDevice, scope: ofScope, key, value, updatedAt } = attributes;
  const isOfScope = and(eq(ofDevice, sql.placeholder("deviceId")), eq(ofScope, sql.placeholder("scope")));
  const hasScope = sql`${ofScope} IN (SELECT value FROM json_each(${sql.placeholder("scopes")}))`;
  const hasKey = sql`${key} IN (SELECT value FROM json_each(${sql.placeholder("keys")}))`;
  // Frequent requests of devices: prepared once, with the names as one JSON parameter.
  const headsOf = lazyStatement(() =>
    orm
      .select({ key, scope: ofScope, updatedAt })
      .from(attributes)
      .where(and(eq(ofDevice, sql.placeholder("deviceId")), hasScope))
      .orderBy(asc(ofScope), asc(key)),
  );
  const textsOf = lazyStatement(() =>
    orm.select({ key, text: value, updatedAt }).from(attributes).where(isOfScope).orderBy(asc(key)),
  );
  const textsNamed = lazyStatement(() =>
    orm
      .select({ key, text: value, updatedAt })
      .from(attributes)
      .where(and(isOfScope, hasKey))
      .orderBy(asc(key)),
  );
  const sizesNamed = lazyStatement(() =>
    orm
      .select({ key, bytes: sql<number>`octet_length(${value})` })
      .from(attributes)
      .where(and(isOfScope, hasKey))
      .orderBy(asc(key)),
  );
  const sizesOf = lazyStatement(() =>
    orm
      .select({ key, bytes: sql<number>`octet_length(${value})` })
      .from(attributes)
      .where(isOfScope)
      .orderBy(asc(key)),
  );
  const item = valueStatement(orm);
  const counted = lazyStatement(() =>
    orm
      .select({ n: sql<number>`count(*)` })
      .from(attributes)
      .where(
        and(
          eq(attributes.deviceId, sql.placeholder("deviceId")),
          eq(attributes.scope, sql.placeholder("scope")),
        ),
      ),
  );
  const bytes = lazyStatement(() =>
    orm
      .select({ n: sql<number | null>`sum(octet_length(${attributes.value}))` })
      .from(attributes)
      .where(
        and(
          eq(attributes.deviceId, sql.placeholder("deviceId")),
          eq(attributes.scope, sql.placeholder("scope")),
        ),
      ),
  );
  return {
    /** Returns the total bytes of the values. */
    countBytes: (deviceId: DeviceId, scope: AttributeScope): number => bytes.get({ deviceId, scope })?.n ?? 0,
    count: (deviceId: DeviceId, scope: AttributeScope): number => counted.get({ deviceId, scope })?.n ?? 0,
    value(
      deviceId: DeviceId,
      scope: AttributeScope,
      { key, onText }: { key: string; onText?: ((characters: number) => void) | undefined },
    ): JsonValue | undefined {
      const row = item.get({ deviceId, scope, key });
      if (row === undefined) return undefined;
      onText?.(row.value.length);
      return parseStored(row.value, "attributes", "value") as JsonValue; // written by `save`
    },
    /** Lists the attributes without their values, which may be 4 MiB a scope. */
    heads: (deviceId: DeviceId, scopes: readonly AttributeScope[]): AttributeHead[] =>
      headsOf
        .all({ deviceId, scopes: JSON.stringify(scopes) })
        .map((row) => ({ ...row, updatedAt: iso(row.updatedAt) })),
    /** Lists the attributes of a scope, all or the named ones, with the bytes of their values. */
    sizes: (
      deviceId: DeviceId,
      scope: AttributeScope,
      keys?: readonly string[],
    ): Array<{ key: string; bytes: number }> =>
      keys === undefined
        ? sizesOf.all({ deviceId, scope })
        : sizesNamed.all({ deviceId, scope, keys: JSON.stringify(keys) }),
    /** Lists the attributes of a scope, all or the named ones, with the JSON of their values. */
    texts(deviceId: DeviceId, scope: AttributeScope, keys?: readonly string[]): AttributeText[] {
      const rows =
        keys === undefined
          ? textsOf.all({ deviceId, scope })
          : textsNamed.all({ deviceId, scope, keys: JSON.stringify(keys) });
      return rows.map((row) => ({ ...row, scope, updatedAt: iso(row.updatedAt) }));
    },
    save(
      deviceId: DeviceId,
      scope: AttributeScope,
      values: ReadonlyMap<string, JsonValue>,
      now: number,
    ): void {
      for (const [key, value] of values)
        insert.run({ deviceId, scope, key, value: JSON.stringify(value), now });
    },
    /** Returns `true` if the attribute existed. */
    delete: (deviceId: DeviceId, scope: AttributeScope, key: string): boolean =>
      orm
        .delete(attributes)
        .where(and(eq(attributes.deviceId, deviceId), eq(attributes.scope, scope), eq(attributes.key, key)))
        .returning({ key: attributes.key })
        .all().length > 0,
    listKeys: (deviceId: DeviceId): string[] =>
      orm
        .selectDistinct({ key: attributes.key })
        .from(attributes)
        .where(eq(attributes.deviceId, deviceId))
        .orderBy(asc(attributes.key))
        .all()
        .map((row) => row.key),
    /** Yields the keys of the tenant's visible devices, some devices at a time. Keys repeat. */
    tenantKeys: (tenantId: TenantId, visible: "all" | ReadonlySet<DeviceId>) =>
      tenantKeys(orm, tenantId, visible),
  };
}

export type AttributesRepository = ReturnType<typeof createAttributesRepository>;
