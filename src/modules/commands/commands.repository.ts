import { and, asc, desc, eq, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandChanges, CommandState, NewCommand } from "./commands.types.ts";

export interface CommandsRepository {
  /** Undefined when the device has had a command with this request id. */
  create(command: NewCommand): Command | undefined;
  find(commandId: string): Command | undefined;
  findByRpcId(rpcId: number): Command | undefined;
  findByRequestId(deviceId: DeviceId, requestId: string): Command | undefined;
  /** The newest first. */
  list(
    deviceId: DeviceId,
    page: { limit: number; offset: number; status?: CommandState | undefined },
  ): Command[];
  count(deviceId: DeviceId, status?: CommandState): number;
  update(rpcId: number, changes: CommandChanges): void;
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
  const one = (condition: ReturnType<typeof eq>) => {
    const row = orm.select().from(commands).where(condition).get();
    return row === undefined ? undefined : toCommand(row);
  };
  const of = (deviceId: DeviceId, status?: CommandState) =>
    and(eq(commands.deviceId, deviceId), status === undefined ? undefined : eq(commands.status, status));
  return {
    create({ requestId, params, ...command }) {
      // Without one from the issuer its own id serves.
      const values = { ...command, params: JSON.stringify(params), status: "QUEUED" as const };
      const row = orm
        .insert(commands)
        .values({ ...values, requestId: requestId ?? command.commandId, dueAt: command.expiresAt })
        .onConflictDoNothing()
        .returning()
        .get();
      return row === undefined ? undefined : toCommand(row);
    },
    find: (commandId) => one(eq(commands.commandId, commandId)),
    findByRpcId: (rpcId) => one(eq(commands.rpcId, rpcId)),
    findByRequestId(deviceId, requestId) {
      const row = orm
        .select()
        .from(commands)
        .where(and(eq(commands.deviceId, deviceId), eq(commands.requestId, requestId)))
        .get();
      return row === undefined ? undefined : toCommand(row);
    },
    list: (deviceId, { limit, offset, status }) =>
      orm
        .select()
        .from(commands)
        .where(of(deviceId, status))
        .orderBy(desc(commands.rpcId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(toCommand),
    count: (deviceId, status) =>
      orm.select({ n: sql<number>`count(*)` }).from(commands).where(of(deviceId, status)).get()?.n ?? 0,
    update(rpcId, { response, ...changes }) {
      const text = response === undefined ? {} : { response: JSON.stringify(response) };
      orm
        .update(commands)
        .set({ ...changes, ...text })
        .where(eq(commands.rpcId, rpcId))
        .run();
    },
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
