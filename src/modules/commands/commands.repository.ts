import { and, asc, desc, eq, gte, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import { contains } from "../../platform/contains.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandFilter, CommandState, NewCommand } from "./commands.types.ts";

type Row = typeof commands.$inferSelect;

const toCommand = (row: Row): Command => ({
  ...row,
  tenantId: row.tenantId as TenantId, // branded when they were written
  deviceId: row.deviceId as DeviceId,
  params: JSON.parse(row.params) as JsonValue,
  response: row.response === null ? null : (JSON.parse(row.response) as JsonValue),
});

const of = (deviceId: DeviceId, status?: CommandState) =>
  and(eq(commands.deviceId, deviceId), status === undefined ? undefined : eq(commands.status, status));
const matching = (deviceId: DeviceId, { status, search, from, to }: CommandFilter) =>
  and(
    of(deviceId, status),
    search === undefined ? undefined : contains(commands.method, search),
    from === undefined ? undefined : gte(commands.createdAt, from),
    to === undefined ? undefined : lte(commands.createdAt, to),
  );

export function createCommandsRepository({ orm }: MainDatabase) {
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
  const commandOf = (row: Row | undefined) => (row === undefined ? undefined : toCommand(row));
  return {
    /** Returns `undefined` if the device has had a command with this request id. */
    create({ requestId, params, ...command }: NewCommand): Command | undefined {
      // Without one from the issuer its own id serves.
      const values = {
        ...command,
        requestId: requestId ?? command.commandId,
        params: JSON.stringify(params),
      };
      return commandOf(insert.get(values));
    },
    find: (commandId: string): Command | undefined => commandOf(byId.get({ commandId })),
    findByRpcId: (rpcId: number): Command | undefined => commandOf(byRpcId.get({ rpcId })),
    findByRequestId(deviceId: DeviceId, requestId: string): Command | undefined {
      const row = orm
        .select()
        .from(commands)
        .where(and(eq(commands.deviceId, deviceId), eq(commands.requestId, requestId)))
        .get();
      return commandOf(row);
    },
    /** The newest first. */
    list: (
      deviceId: DeviceId,
      { limit, offset, ...filter }: CommandFilter & { limit: number; offset: number },
    ): Command[] =>
      orm
        .select()
        .from(commands)
        .where(matching(deviceId, filter))
        .orderBy(desc(commands.rpcId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(toCommand),
    count(deviceId: DeviceId, { status, ...filter }: CommandFilter): number {
      const isPlain = Object.values(filter).every((value) => value === undefined);
      if (status !== undefined && isPlain) return counted.get({ deviceId, status })?.n ?? 0;
      const condition = matching(deviceId, { ...filter, status });
      return orm.select({ n: sql<number>`count(*)` }).from(commands).where(condition).get()?.n ?? 0;
    },
    /** Columns of a command that can change. */
    save: ({ response, ...command }: Command): void =>
      void written.run({ ...command, response: response === null ? null : JSON.stringify(response) }),
    /** Lists the commands of one device, the oldest first. */
    listIn: (deviceId: DeviceId, status: CommandState, limit: number): Command[] =>
      orm
        .select()
        .from(commands)
        .where(of(deviceId, status))
        .orderBy(asc(commands.rpcId))
        .limit(limit)
        .all()
        .map(toCommand),
    /** Lists the commands of all devices. */
    listAllIn: (status: CommandState): Command[] =>
      orm.select().from(commands).where(eq(commands.status, status)).all().map(toCommand),
    /** Returns those on which nothing happened until `now`. */
    listDue: (now: number, limit: number): Command[] =>
      orm
        .select()
        .from(commands)
        .where(lte(commands.dueAt, now))
        .orderBy(asc(commands.dueAt))
        .limit(limit)
        .all()
        .map(toCommand),
    /** Epoch ms. */
    nextDueAt: (): number | undefined =>
      orm
        .select({ at: commands.dueAt })
        .from(commands)
        .where(isNotNull(commands.dueAt))
        .orderBy(asc(commands.dueAt))
        .limit(1)
        .get()?.at ?? undefined,
    deleteFinished: (before: number, limit: number): number =>
      orm
        .delete(commands)
        .where(
          sql`${commands.rpcId} IN (SELECT rpc_id FROM commands WHERE ${lt(commands.finishedAt, before)} LIMIT ${limit})`,
        )
        .returning({ rpcId: commands.rpcId })
        .all().length,
  };
}

export type CommandsRepository = ReturnType<typeof createCommandsRepository>;
