import { and, desc, eq, inArray, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { RowPage } from "../../platform/database/row-list.ts";
import type { DeliveryTarget } from "../../platform/delivery-queue/delivery-lanes.ts";
import { createDeliveryStore, targetPlaceholder } from "../../platform/delivery-queue/delivery-store.ts";
import type { StoredSecrets } from "../../platform/secrets/stored-secrets.ts";
import { mails } from "./mail.tables.ts";
import type { MailFilter, MailScope, MailState, MailTemplate, OutboxMail } from "./mail.types.ts";

type Changes = Partial<
  Pick<OutboxMail, "state" | "attempts" | "dueAt" | "lastError" | "secretUntil" | "sentAt" | "values">
>;

type Row = typeof mails.$inferSelect;

/** Waiting mail; `seq` is valid while the gateway runs. */
export type QueuedMail = OutboxMail & { readonly seq: number };

/** Returns the delivery target of a mail. Each tenant has two: account mails, which are urgent, and alarm mails. */
export const targetOf = ({
  tenantId,
  isAlarm,
}: Pick<OutboxMail, "tenantId" | "isAlarm">): DeliveryTarget => ({
  targetId: `${Number(isAlarm)}${tenantId ?? ""}`,
  tenantId,
  isUrgent: !isAlarm,
});

const toMailWith = <Of extends Row>({ valuesSealed, ...row }: Of, secrets: StoredSecrets) => ({
  ...row,
  values: JSON.parse(secrets.open(valuesSealed) ?? "{}"), // empty if the key was lost
  tenantId: row.tenantId,
  template: row.template as MailTemplate,
});

const inScope = (scope: MailScope | "all"): SQL | undefined => {
  if (scope === "all") return undefined;
  const own = eq(mails.tenantId, scope.tenantId);
  return scope.includesStrangers ? or(own, isNull(mails.tenantId)) : own;
};

export function createMailRepository(database: MainDatabase) {
  const { orm } = database;
  const secrets = database.secrets("mails");
  const toMail = (row: Row) => toMailWith(row, secrets);
  const sealed = (values: OutboxMail["values"]) => ({ valuesSealed: secrets.seal(JSON.stringify(values)) });
  const target = targetPlaceholder;
  const store = createDeliveryStore(database, {
    table: mails,
    seq: sql`${mails}.rowid`,
    orderKey: mails.mailId,
    isOfTarget: sql`${mails.isAlarm} = substr(${target}, 1, 1) AND ${mails.tenantId} IS nullif(substr(${target}, 2), '')`,
    state: mails.state,
    waiting: "QUEUED",
    dueAt: mails.dueAt,
    toRow: (row): QueuedMail => toMailWith(row, secrets),
  });
  const first = (where: SQL | undefined) => {
    const row = orm.select().from(mails).where(where).get();
    return row && toMail(row);
  };
  return {
    ...store,
    targets: (dueBy?: number): DeliveryTarget[] =>
      orm
        .selectDistinct({ tenantId: mails.tenantId, isAlarm: mails.isAlarm })
        .from(mails)
        .where(and(eq(mails.state, "QUEUED"), dueBy === undefined ? undefined : lte(mails.dueAt, dueBy)))
        .all()
        .map((row) => targetOf(row as Pick<OutboxMail, "tenantId" | "isAlarm">)), // written by us
    insert: ({ values, ...mail }: OutboxMail): void =>
      void orm
        .insert(mails)
        .values({ ...mail, ...sealed(values) })
        .run(),
    find: (mailId: string): OutboxMail | undefined => first(eq(mails.mailId, mailId)),
    findIn: (scope: MailScope, mailId: string): OutboxMail | undefined =>
      first(and(eq(mails.mailId, mailId), inScope(scope))),
    list(scope: MailScope | "all", filter: MailFilter): RowPage<OutboxMail> {
      const { state, search } = filter;
      const isWanted = and(
        inScope(scope),
        state === undefined ? undefined : eq(mails.state, state),
        search === undefined ? undefined : contains(mails.recipient, search),
      );
      return store.list(isWanted, filter);
    },
    update: (mailId: string, { values, ...changes }: Changes): void =>
      void orm
        .update(mails)
        .set({ ...changes, ...(values && sealed(values)) })
        .where(eq(mails.mailId, mailId))
        .run(),
    listExpired: (now: number, limit: number): OutboxMail[] =>
      orm.select().from(mails).where(lte(mails.secretUntil, now)).limit(limit).all().map(toMail),
    /** Releases held mails created after this time. */
    release(after: number, now: number): number {
      const released = orm
        .update(mails)
        .set({ state: "QUEUED", attempts: 0, dueAt: now })
        .where(and(eq(mails.state, "HELD"), sql`${mails.createdAt} > ${after}`))
        .returning({ mailId: mails.mailId })
        .all();
      return released.length;
    },
    /** Deletes finished mails beyond the newest `keep` of each tenant or created before `before`, at most `limit` per call. Returns their number. */
    prune({ keep, before, limit }: { keep: number; before: number; limit: number }): number {
      const isDone = ne(mails.state, "QUEUED" satisfies MailState);
      const full = orm
        .select({ tenantId: mails.tenantId })
        .from(mails)
        .where(isDone)
        .groupBy(mails.tenantId)
        .having(sql`count(*) > ${keep}`)
        .all();
      const beyond = full.flatMap(({ tenantId }) =>
        orm
          .select({ mailId: mails.mailId })
          .from(mails)
          .where(and(isDone, tenantId === null ? isNull(mails.tenantId) : eq(mails.tenantId, tenantId)))
          .orderBy(desc(mails.createdAt), desc(mails.mailId))
          .limit(limit)
          .offset(keep)
          .all(),
      );
      const old = orm
        .select({ mailId: mails.mailId })
        .from(mails)
        .where(and(isDone, lte(mails.createdAt, before)))
        .limit(limit)
        .all();
      const ids = [...new Set([...beyond, ...old].map(({ mailId }) => mailId))].slice(0, limit);
      if (ids.length > 0) orm.delete(mails).where(inArray(mails.mailId, ids)).run();
      return ids.length;
    },
  };
}

export type MailRepository = ReturnType<typeof createMailRepository>;
