import { and, eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/ids.ts";
import { isOfForeignKey } from "../../platform/constraint-errors.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { prepareWrite } from "../../platform/prepared-write.ts";
import type { GroupedWrite } from "../../platform/write-group.ts";
import { deviceNotFound } from "../devices/devices.errors.ts";
import { requestIdTaken, tooManyCommands } from "./commands.errors.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandState, NewCommand } from "./commands.types.ts";
import { LateWrites } from "./late-writes.ts";
import { RecentCommands } from "./recent-commands.ts";

type Orm = MainDatabase["orm"];
type Statements = Pick<MainDatabase, "orm" | "sqlite">;

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

const { placeholder } = sql;

const stored = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const prepareInsert = ({ orm, sqlite }: Statements) =>
  prepareWrite(
    sqlite,
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
      .onConflictDoNothing(),
  );

const prepareUpdate = ({ orm, sqlite }: Statements) =>
  prepareWrite(
    sqlite,
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
      .where(eq(commands.rpcId, placeholder("rpcId"))),
  );

const prepareCount = (orm: Orm) =>
  orm
    .select({ n: sql<number>`count(*)` })
    .from(commands)
    .where(and(eq(commands.deviceId, placeholder("deviceId")), eq(commands.status, placeholder("status"))))
    .prepare();

/** Creates the functions that insert a command, in a transaction, and count those of a device. */
function createInserts(database: Statements) {
  const insert = prepareInsert(database);
  const counted = prepareCount(database.orm);
  const countIn = (deviceId: DeviceId, status: CommandState) => counted.get({ deviceId, status })?.n ?? 0;

  function insertNew({ requestId, params, ...command }: NewCommand, queuedMax: number): Command {
    if (countIn(command.deviceId, "QUEUED") >= queuedMax) throw tooManyCommands(queuedMax);
    // Without one from the issuer its own id serves.
    const values = { ...command, requestId: requestId ?? command.commandId };
    try {
      const { changes, lastInsertRowid } = insert({ ...values, params: JSON.stringify(params) });
      if (changes === 0) throw requestIdTaken();
      return { ...values, ...NEW, params, rpcId: Number(lastInsertRowid), dueAt: command.expiresAt };
    } catch (error) {
      throw isOfForeignKey(error) ? deviceNotFound(command.deviceId) : error;
    }
  }
  return { countIn, insertNew };
}

/**
 * Writes of commands, each committed with all that is written in the same turn of the event loop. Where the commit fails, a command is as
 * it was stored before.
 */
export function createCommandWrites({ writes, ...database }: Statements & Pick<MainDatabase, "writes">) {
  const recent = new RecentCommands();
  const late = new LateWrites(writes);
  // Each command of ten thousand is written several times on its way: prepared once.
  const { countIn, insertNew } = createInserts(database);
  const update = prepareUpdate(database);
  return {
    countIn,
    recent,
    /** Forgets the commands of a device that is deleted, and they with it. */
    forgetOf: recent.forgetOf,
    /** Fails if the device has had a command with this request id, if it is gone, or if `queuedMax` commands wait for it. */
    create(command: NewCommand, queuedMax: number, end: NewCommandEnd): void {
      let created: Command;
      late.releaseOf(command.deviceId); // or what was sent to it would count as waiting
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
     * still as it was saved. A change that is `brief` may wait some milliseconds for the next one.
     */
    save(command: Command, committed: (isCurrent: boolean) => void, isBrief = false): void {
      const { rpcId } = command;
      recent.changed(command);
      const write: GroupedWrite = {
        // The state that it has by now is of the same group.
        write() {
          if (recent.isCurrent(command))
            update({ ...command, response: stored(command.response), error: stored(command.error) });
        },
        committed() {
          const wasCurrent = recent.isCurrent(command);
          if (wasCurrent) recent.stored(command);
          committed(wasCurrent);
        },
        failed: () => recent.failed(command),
      };
      if (isBrief) late.add(command, write);
      else {
        late.release(rpcId);
        writes.add(write);
      }
    },
    /** Settles with the commit of the newest change of a command; `undefined` if nothing waits for one. */
    storing: (rpcId: number): Promise<void> | undefined => late.storing(rpcId),
    /** Resolves once everything that was written is committed. */
    committed(): Promise<void> {
      late.releaseAll();
      return writes.pending ?? Promise.resolve();
    },
    /** Commits what was written. */
    flush(): void {
      late.releaseAll();
      writes.flush();
    },
    /** Commits what was written. Only the writers hear of a failure. */
    settle(): void {
      late.releaseAll();
      writes.settle();
    },
  };
}
