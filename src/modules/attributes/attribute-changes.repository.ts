import { and, asc, desc, eq, gt, lte, or, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { valueStatement } from "./attributes.repository.ts";
import { attributeChanges } from "./attributes.tables.ts";
import type { AttributeChange, AttributeScope, ChangedBy, ChangeText } from "./attributes.types.ts";

/** Max. bytes of a device's kept changes. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** Approximate number of new changes after which the oldest changes of a device are deleted. */
const TRIM_EVERY = 50;

export interface ChangeFilter {
  readonly scope?: AttributeScope | undefined;
  readonly key?: string | undefined;
  /** Part of the key, or of the author's name. */
  readonly search?: string | undefined;
}

type Row = typeof attributeChanges.$inferSelect;

const toChange = ({ value, ...row }: Row): AttributeChange => ({
  ...omit(row, "deviceId", "tenantId"),
  ...(value !== null && { value: JSON.parse(value) as JsonValue }), // written by `record`
});

/** Keeps the newest `keptMax` changes of each device, and a few more until they are trimmed. */
export function createAttributeChangesRepository({ orm }: MainDatabase, keptMax: number) {
  const current = valueStatement(orm);
  const insert = lazyStatement(() =>
    orm
      .insert(attributeChanges)
      .values({
        deviceId: sql.placeholder("deviceId"),
        tenantId: sql`(SELECT tenant_id FROM devices WHERE device_id = ${sql.placeholder("deviceId")})`,
        scope: sql.placeholder("scope"),
        key: sql.placeholder("key"),
        value: sql.placeholder("value"),
        at: sql.placeholder("at"),
        source: sql.placeholder("source"),
        by: sql.placeholder("by"),
      })
      .returning({ changeId: attributeChanges.changeId }),
  );

  const surplus = lazyStatement(() =>
    orm
      .select({ changeId: sql<number | null>`max(change_id)` })
      .from(
        sql`(SELECT change_id, row_number() OVER newest AS position, sum(octet_length(coalesce(value, ''))) OVER newest AS bytes
        FROM attribute_changes WHERE device_id = ${sql.placeholder("deviceId")} WINDOW newest AS (ORDER BY change_id DESC))`,
      )
      .where(sql`position > ${keptMax} OR bytes > ${KEPT_BYTES_MAX}`),
  );

  /** Deletes the oldest changes beyond the limits of number and size. */
  function trim(deviceId: DeviceId): void {
    const newestGone = surplus.get({ deviceId })?.changeId ?? null;
    if (newestGone === null) return;
    const isOld = lte(attributeChanges.changeId, newestGone);
    orm
      .delete(attributeChanges)
      .where(and(eq(attributeChanges.deviceId, deviceId), isOld))
      .run();
  }

  const matching = (deviceId: DeviceId, { scope, key, search }: ChangeFilter) =>
    and(
      eq(attributeChanges.deviceId, deviceId),
      scope && eq(attributeChanges.scope, scope),
      key === undefined ? undefined : eq(attributeChanges.key, key),
      search === undefined
        ? undefined
        : or(contains(attributeChanges.key, search), contains(attributeChanges.by, search)),
    );

  return {
    /** Records changes before the attributes themselves are written. An undefined value is a deletion. Returns true if an attribute is new. */
    record(
      { deviceId, scope }: { deviceId: DeviceId; scope: AttributeScope },
      values: ReadonlyMap<string, JsonValue | undefined>,
      { source, by, at }: ChangedBy & { at: number },
    ): boolean {
      let isNew = false;
      for (const [key, value] of values) {
        const text = value === undefined ? null : JSON.stringify(value);
        const before = current.get({ deviceId, scope, key })?.value ?? null;
        if (before === text) continue;
        isNew ||= before === null;
        const { changeId } = insert.get({ deviceId, scope, key, value: text, at, source, by });
        if (changeId % TRIM_EVERY === 0) trim(deviceId);
      }
      return isNew;
    },
    /** Lists the ids of changes, newest first: their values may be 64 KiB each. */
    ids: (
      deviceId: DeviceId,
      { limit, offset, ...filter }: ChangeFilter & { limit: number; offset: number },
    ): number[] =>
      orm
        .select({ changeId: attributeChanges.changeId })
        .from(attributeChanges)
        .where(matching(deviceId, filter))
        .orderBy(desc(attributeChanges.changeId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(({ changeId }) => changeId),
    find(changeId: number): AttributeChange | undefined {
      const row = orm.select().from(attributeChanges).where(eq(attributeChanges.changeId, changeId)).get();
      return row && toChange(row);
    },
    count: (deviceId: DeviceId, filter: ChangeFilter): number =>
      orm.select({ n: sql<number>`count(*)` }).from(attributeChanges).where(matching(deviceId, filter)).get()
        ?.n ?? 0,
    /** Returns the last change of each key of a scope after a change, in the order of first changes, with the JSON of its value. */
    lastSince(deviceId: DeviceId, scope: AttributeScope, since: number): ChangeText[] {
      const { changeId, key, value: text } = attributeChanges;
      const rows = orm
        .select({ changeId, key })
        .from(attributeChanges)
        .where(and(matching(deviceId, { scope }), gt(changeId, since)))
        .orderBy(asc(changeId))
        .all();
      const last = new Map(rows.map((row) => [row.key, row.changeId]));
      const ids = JSON.stringify([...last.values()]);
      const texts = orm
        .select({ changeId, text })
        .from(attributeChanges)
        .where(sql`${changeId} IN (SELECT value FROM json_each(${ids}))`)
        .all();
      const textOf = new Map(texts.map((row) => [row.changeId, row.text]));
      return [...last].map(([name, id]) => ({ changeId: id, key: name, text: textOf.get(id) ?? null }));
    },
    /** Returns 0 for a device without changes. */
    newestId: (deviceId: DeviceId): number =>
      orm
        .select({ changeId: attributeChanges.changeId })
        .from(attributeChanges)
        .where(eq(attributeChanges.deviceId, deviceId))
        .orderBy(desc(attributeChanges.changeId))
        .limit(1)
        .get()?.changeId ?? 0,
  };
}

/** History of attribute writes that changed a value. */
export type AttributeChangesRepository = ReturnType<typeof createAttributeChangesRepository>;
