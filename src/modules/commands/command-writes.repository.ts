import { and, eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { deviceNotFound } from "../devices/devices.errors.ts";
import { requestIdTaken, tooManyCommands } from "./commands.errors.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandState, NewCommand } from "./commands.types.ts";
import { RecentCommands } from "./recent-commands.ts";

type Orm = MainDatabase["orm"];

/** Fields that are the same in every new command. */
const NEW = {
  status: "QUEUED",
  attempts: 0,
  sentAt: null,
  deliveredAt: null,
  finishedAt: null,
  response: null,
  error: null,
} as const;

/** Callbacks for the write of a new command. */
interface NewCommandEnd {
  committed(command: Command): void;
  failed(error: unknown): void;
}

const isOfForeignKey = (error: unknown): boolean => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && "code" in cause && cause.code === "SQLITE_CONSTRAINT_FOREIGNKEY";
};

/** What the driver returns from a statement; drizzle's types say nothing of it. */
interface Inserted {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

const { placeholder } = sql;

const prepareInsert = (orm: Orm) =>
  orm
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

const prepareUpdate = (orm: Orm) =>
  orm
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

const prepareCount = (orm: Orm) =>
  orm
    .select({ n: sql<number>`count(*)` })
    .from(commands)
    .where(and(eq(commands.deviceId, placeholder("deviceId")), eq(commands.status, placeholder("status"))))
    .prepare();

/**
 * Writes of commands, each committed with all that is written in the same turn of the event loop. Where the commit fails, a command is as
 * it was stored before.
 */
export function createCommandWrites({ orm, writes }: Pick<MainDatabase, "orm" | "writes">) {
  const recent = new RecentCommands();
  // Each command of ten thousand is written several times on its way: prepared once.
  const insert = prepareInsert(orm);
  const update = prepareUpdate(orm);
  const counted = prepareCount(orm);
  const countIn = (deviceId: DeviceId, status: CommandState) => counted.get({ deviceId, status })?.n ?? 0;

  function insertNew({ requestId, params, ...command }: NewCommand, queuedMax: number): Command {
    if (countIn(command.deviceId, "QUEUED") >= queuedMax) throw tooManyCommands(queuedMax);
    // Without one from the issuer its own id serves.
    const values = { ...command, requestId: requestId ?? command.commandId };
    try {
      const inserted: unknown = insert.run({ ...values, params: JSON.stringify(params) });
      const { changes, lastInsertRowid } = inserted as Inserted;
      if (changes === 0) throw requestIdTaken();
      return { ...values, ...NEW, params, rpcId: Number(lastInsertRowid), dueAt: command.expiresAt };
    } catch (error) {
      throw isOfForeignKey(error) ? deviceNotFound() : error;
    }
  }

  return {
    countIn,
    recent,
    /** Forgets the commands of a device that is deleted, and they with it. */
    forgetOf: (deviceId: DeviceId): void => recent.forgetOf(deviceId),
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
      const { response } = command;
      recent.changed(command);
      writes.add({
        // The state that it has by now is of the same group.
        write() {
          if (recent.isCurrent(command))
            update.run({ ...command, response: response === null ? null : JSON.stringify(response) });
        },
        committed() {
          const wasCurrent = recent.isCurrent(command);
          if (wasCurrent) recent.stored(command);
          committed(wasCurrent);
        },
        failed: () => recent.failed(command),
      });
    },
    /** Resolves once everything that was written is committed. */
    committed: (): Promise<void> => writes.pending ?? Promise.resolve(),
    /** Commits what was written. */
    flush: (): void => writes.flush(),
    /** Commits what was written. Only the writers hear of a failure. */
    settle: (): void => writes.settle(),
  };
}
