import type { Changes } from "bun:sqlite";
import { and, asc, desc, eq, gte, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import { contains } from "../../platform/contains.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { deviceNotFound } from "../devices/devices.errors.ts";
import { requestIdTaken, tooManyCommands } from "./commands.errors.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandFilter, CommandState, NewCommand } from "./commands.types.ts";

type Row = typeof commands.$inferSelect;

/** What a command has that was just created. */
const NEW = {
  status: "QUEUED",
  attempts: 0,
  sentAt: null,
  deliveredAt: null,
  finishedAt: null,
  response: null,
  error: null,
} as const;

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

/** What happens once a new command is stored, or why it is not. */
interface NewCommandEnd {
  committed(command: Command): void;
  failed(error: unknown): void;
}

const isOfForeignKey = (error: unknown): boolean => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && "code" in cause && cause.code === "SQLITE_CONSTRAINT_FOREIGNKEY";
};

/** Commands in the database. What is written here is committed with all that is written in the same turn of the event loop. */
export function createCommandsRepository({ orm, writes }: MainDatabase) {
  /** Commands that were changed and are not committed yet, as they are by now; by their number. */
  const unsaved = new Map<number, Command>();
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
  /** For everything that is read by more than the number of a command: with what waits for its commit. */
  function current() {
    writes.flush();
    return orm;
  }
  const countIn = (deviceId: DeviceId, status: CommandState) => counted.get({ deviceId, status })?.n ?? 0;

  function insertNew({ requestId, params, ...command }: NewCommand, queuedMax: number): Command {
    if (countIn(command.deviceId, "QUEUED") >= queuedMax) throw tooManyCommands(queuedMax);
    // Without one from the issuer its own id serves.
    const values = { ...command, requestId: requestId ?? command.commandId };
    try {
      const inserted: unknown = insert.run({ ...values, params: JSON.stringify(params) });
      const { changes, lastInsertRowid } = inserted as Changes; // drizzle's type says nothing of what the driver returns
      if (changes === 0) throw requestIdTaken();
      return { ...values, ...NEW, params, rpcId: Number(lastInsertRowid), dueAt: command.expiresAt };
    } catch (error) {
      throw isOfForeignKey(error) ? deviceNotFound() : error;
    }
  }

  return {
    /** Fails if the device has had a command with this request id, if it is gone, or if `queuedMax` commands wait for it. */
    create(command: NewCommand, queuedMax: number, end: NewCommandEnd): void {
      let created: Command;
      writes.add({
        write() {
          created = insertNew(command, queuedMax);
        },
        committed: () => end.committed(created),
        failed: end.failed,
      });
    },
    /**
     * Columns of a command that can change. Read by its number, the command is the changed one at once. `committed` hears whether it is
     * still as it was saved.
     */
    save(command: Command, committed: (isCurrent: boolean) => void): void {
      const { rpcId, response } = command;
      const isCurrent = () => unsaved.get(rpcId) === command;
      unsaved.set(rpcId, command);
      writes.add({
        // The state that it has by now is of the same group.
        write() {
          if (isCurrent())
            written.run({ ...command, response: response === null ? null : JSON.stringify(response) });
        },
        committed() {
          const wasCurrent = isCurrent();
          if (wasCurrent) unsaved.delete(rpcId);
          committed(wasCurrent);
        },
        failed: () => void unsaved.delete(rpcId),
      });
    },
    /** Resolves once everything that was written is committed. */
    committed: (): Promise<void> => writes.pending ?? Promise.resolve(),
    /** Commits what was written. */
    flush: (): void => writes.flush(),
    /** The same where a failure is nothing to the caller. */
    settle: (): void => writes.settle(),
    find(commandId: string): Command | undefined {
      current();
      return commandOf(byId.get({ commandId }));
    },
    findByRpcId: (rpcId: number): Command | undefined =>
      unsaved.get(rpcId) ?? commandOf(byRpcId.get({ rpcId })),
    findByRequestId(deviceId: DeviceId, requestId: string): Command | undefined {
      const row = current()
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
      current()
        .select()
        .from(commands)
        .where(matching(deviceId, filter))
        .orderBy(desc(commands.rpcId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(toCommand),
    count(deviceId: DeviceId, { status, ...filter }: CommandFilter): number {
      current();
      const isPlain = Object.values(filter).every((value) => value === undefined);
      if (status !== undefined && isPlain) return countIn(deviceId, status);
      const condition = matching(deviceId, { ...filter, status });
      return orm.select({ n: sql<number>`count(*)` }).from(commands).where(condition).get()?.n ?? 0;
    },
    /** Lists the commands of one device, the oldest first. */
    listIn: (deviceId: DeviceId, status: CommandState, limit: number): Command[] =>
      current()
        .select()
        .from(commands)
        .where(of(deviceId, status))
        .orderBy(asc(commands.rpcId))
        .limit(limit)
        .all()
        .map(toCommand),
    /** Lists the commands of all devices. */
    listAllIn: (status: CommandState): Command[] =>
      current().select().from(commands).where(eq(commands.status, status)).all().map(toCommand),
    /** Returns those on which nothing happened until `now`. */
    listDue: (now: number, limit: number): Command[] =>
      current()
        .select()
        .from(commands)
        .where(lte(commands.dueAt, now))
        .orderBy(asc(commands.dueAt))
        .limit(limit)
        .all()
        .map(toCommand),
    /** Epoch ms. */
    nextDueAt: (): number | undefined =>
      current()
        .select({ at: commands.dueAt })
        .from(commands)
        .where(isNotNull(commands.dueAt))
        .orderBy(asc(commands.dueAt))
        .limit(1)
        .get()?.at ?? undefined,
    deleteFinished: (before: number, limit: number): number =>
      current()
        .delete(commands)
        .where(
          sql`${commands.rpcId} IN (SELECT rpc_id FROM commands WHERE ${lt(commands.finishedAt, before)} LIMIT ${limit})`,
        )
        .returning({ rpcId: commands.rpcId })
        .all().length,
  };
}

export type CommandsRepository = ReturnType<typeof createCommandsRepository>;
