import { and, asc, desc, eq, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import { contains } from "../../platform/contains.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandFilter, CommandState, NewCommand } from "./commands.types.ts";

export interface CommandsRepository {
  /** Undefined when the device has had a command with this request id. */
  create(command: NewCommand): Command | undefined;
  find(commandId: string): Command | undefined;
  findByRpcId(rpcId: number): Command | undefined;
  findByRequestId(deviceId: DeviceId, requestId: string): Command | undefined;
  /** The newest first. */
  list(deviceId: DeviceId, page: CommandFilter & { limit: number; offset: number }): Command[];
  count(deviceId: DeviceId, filter: CommandFilter): number;
  /** What may change of it. */
  save(command: Command): void;
  /** Of one device, the oldest first. */
  listIn(deviceId: DeviceId, status: CommandState, limit: number): Command[];
  /** Of all devices. */
  listAllIn(status: CommandState): Command[];
  /** Those on which nothing happened until `now`. */
  listDue(now: number, limit: number): Command[];
  /** Epoch ms. */
  nextDueAt(): number | undefined;
  deleteFinished(before: number, limit: number): number;
}

type Row = typeof commands.$inferSelect;

const toCommand = (row: Row): Command => ({
  ...row,
  tenantId: row.tenantId as TenantId, // branded when they were written
  deviceId: row.deviceId as DeviceId,
  params: JSON.parse(row.params) as JsonValue,
  response: row.response === null ? null : (JSON.parse(row.response) as JsonValue),
});

export function createCommandsRepository({ orm }: MainDatabase): CommandsRepository {
  // Each command of ten thousand is looked up, and written, several times on its way: prepared once.
  const { placeholder } = sql;
  const byId = orm
    .select()
    .from(commands)
    .where(eq(commands.commandId, placeholder("commandId")))
    .prepare();
  const byRpcId = orm
    .select()
    .from(commands)
    .where(eq(commands.rpcId, placeholder("rpcId")))
    .prepare();
  const insert = orm
    .insert(commands)
    .values({
      commandId: placeholder("commandId"),
      tenantId: placeholder("tenantId"),
      deviceId: placeholder("deviceId"),
      requestId: placeholder("requestId"),
      method: placeholder("method"),
      params: placeholder("params"),
      status: "QUEUED",
      retries: placeholder("retries"),
      retryIntervalMs: placeholder("retryIntervalMs"),
      timeoutMs: placeholder("timeoutMs"),
      createdBy: placeholder("createdBy"),
      createdAt: placeholder("createdAt"),
      expiresAt: placeholder("expiresAt"),
      dueAt: placeholder("expiresAt"),
    })
    .onConflictDoNothing()
    .returning()
    .prepare();
  const written = orm
    .update(commands)
    .set({
      status: sql`${placeholder("status")}`,
      attempts: sql`${placeholder("attempts")}`,
      sentAt: sql`${placeholder("sentAt")}`,
      deliveredAt: sql`${placeholder("deliveredAt")}`,
      finishedAt: sql`${placeholder("finishedAt")}`,
      dueAt: sql`${placeholder("dueAt")}`,
      response: sql`${placeholder("response")}`,
      error: sql`${placeholder("error")}`,
    })
    .where(eq(commands.rpcId, placeholder("rpcId")))
    .prepare();
  const counted = orm
    .select({ n: sql<number>`count(*)` })
    .from(commands)
    .where(and(eq(commands.deviceId, placeholder("deviceId")), eq(commands.status, placeholder("status"))))
    .prepare();
  const known = (row: Row | undefined) => (row === undefined ? undefined : toCommand(row));
  const of = (deviceId: DeviceId, status?: CommandState) =>
    and(eq(commands.deviceId, deviceId), status === undefined ? undefined : eq(commands.status, status));
  const matching = (deviceId: DeviceId, { status, search }: CommandFilter) =>
    and(of(deviceId, status), search === undefined ? undefined : contains(commands.method, search));
  return {
    create({ requestId, params, ...command }) {
      // Without one from the issuer its own id serves.
      const values = {
        ...command,
        requestId: requestId ?? command.commandId,
        params: JSON.stringify(params),
      };
      return known(insert.get(values));
    },
    find: (commandId) => known(byId.get({ commandId })),
    findByRpcId: (rpcId) => known(byRpcId.get({ rpcId })),
    findByRequestId(deviceId, requestId) {
      const row = orm
        .select()
        .from(commands)
        .where(and(eq(commands.deviceId, deviceId), eq(commands.requestId, requestId)))
        .get();
      return known(row);
    },
    list: (deviceId, { limit, offset, ...filter }) =>
      orm
        .select()
        .from(commands)
        .where(matching(deviceId, filter))
        .orderBy(desc(commands.rpcId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(toCommand),
    count: (deviceId, filter) =>
      (filter.status === undefined || filter.search !== undefined
        ? orm.select({ n: sql<number>`count(*)` }).from(commands).where(matching(deviceId, filter)).get()
        : counted.get({ deviceId, status: filter.status })
      )?.n ?? 0,
    save: ({ response, ...command }) =>
      void written.run({ ...command, response: response === null ? null : JSON.stringify(response) }),
    listIn: (deviceId, status, limit) =>
      orm
        .select()
        .from(commands)
        .where(of(deviceId, status))
        .orderBy(asc(commands.rpcId))
        .limit(limit)
        .all()
        .map(toCommand),
    listAllIn: (status) =>
      orm.select().from(commands).where(eq(commands.status, status)).all().map(toCommand),
    listDue: (now, limit) =>
      orm
        .select()
        .from(commands)
        .where(lte(commands.dueAt, now))
        .orderBy(asc(commands.dueAt))
        .limit(limit)
        .all()
        .map(toCommand),
    nextDueAt: () =>
      orm
        .select({ at: commands.dueAt })
        .from(commands)
        .where(isNotNull(commands.dueAt))
        .orderBy(asc(commands.dueAt))
        .limit(1)
        .get()?.at ?? undefined,
    deleteFinished: (before, limit) =>
      orm
        .delete(commands)
        .where(
          sql`${commands.rpcId} IN (SELECT rpc_id FROM commands WHERE ${lt(commands.finishedAt, before)} LIMIT ${limit})`,
        )
        .returning({ rpcId: commands.rpcId })
        .all().length,
  };
}
