import { and, eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import { isOfForeignKey } from "../../platform/database/constraint-errors.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { prepareWrite } from "../../platform/database/prepared-write.ts";
import type { GroupedWrite, WriteGroup } from "../../platform/database/write-group.ts";
import { deviceNotFound } from "../devices/devices.errors.ts";
import { requestIdTaken, tooManyCommands } from "./commands.errors.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandState, NewCommand } from "./commands.types.ts";

/** Time in ms for which a write waits to be replaced; longer than a connected device takes to respond. */
const WAIT_MS = 10;

interface LateWrite extends GroupedWrite {
  readonly deviceId: DeviceId;
  /** Monotonic ms. */
  readonly addedAt: number;
  readonly stored: PromiseWithResolvers<void>;
}

/** Writes that wait for some milliseconds, because a later state of the command is likely to replace them. */
class LateWrites {
  readonly #writes: WriteGroup;
  /** Writes by command number, longest waiting first. */
  readonly #waiting = new Map<number, LateWrite>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(writes: WriteGroup) {
    this.#writes = writes;
  }

  add({ rpcId, deviceId }: Pick<Command, "rpcId" | "deviceId">, write: GroupedWrite): void {
    this.release(rpcId);
    const stored = Promise.withResolvers<void>();
    stored.promise.catch(() => undefined); // nobody may be waiting for it
    this.#waiting.set(rpcId, {
      deviceId,
      addedAt: performance.now(),
      stored,
      write: () => write.write(),
      committed() {
        write.committed();
        stored.resolve();
      },
      failed(error) {
        write.failed(error);
        stored.reject(error);
      },
    });
    this.#timer ??= setTimeout(() => this.#releaseDue(), WAIT_MS);
  }

  /** Settles with the commit of the command's write, which may have joined the current group; `undefined` if nothing waits. */
  storing(rpcId: number): Promise<void> | undefined {
    return this.#waiting.get(rpcId)?.stored.promise ?? this.#writes.pending;
  }

  /** Lets the command's write join the current group. */
  release(rpcId: number): void {
    const write = this.#waiting.get(rpcId);
    if (write === undefined) return;
    this.#waiting.delete(rpcId);
    this.#writes.add(write);
  }

  releaseOf(deviceId: DeviceId): void {
    for (const [rpcId, write] of this.#waiting) if (write.deviceId === deviceId) this.release(rpcId);
  }

  releaseAll(): void {
    for (const rpcId of [...this.#waiting.keys()]) this.release(rpcId);
  }

  #releaseDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [rpcId, { addedAt }] of this.#waiting) {
      const waitMs = addedAt + WAIT_MS - now;
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#releaseDue(), waitMs);
        return;
      }
      this.release(rpcId);
    }
  }
}

const KEPT_MAX = 1_000;

/**
 * Recently changed commands in progress: a device acknowledges and responds within milliseconds. Uncommitted commands have their newest state,
 * others their stored state.
 */
class RecentCommands {
  /** Uncommitted commands by number. */
  readonly #unsaved = new Map<number, Command>();
  /** Stored commands by number. */
  readonly #stored = new Map<number, Command>();

  find(rpcId: number): Command | undefined {
    return this.#unsaved.get(rpcId) ?? this.#stored.get(rpcId);
  }

  changed(command: Command): void {
    this.#unsaved.set(command.rpcId, command);
    this.#stored.delete(command.rpcId);
  }

  /** Returns whether a changed command must still be stored, because it has not changed again. */
  isCurrent(command: Command): boolean {
    return this.#unsaved.get(command.rpcId) === command;
  }

  stored(command: Command): void {
    this.#unsaved.delete(command.rpcId);
    if (command.finishedAt !== null) return;
    this.#stored.set(command.rpcId, command);
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > KEPT_MAX && oldest !== undefined) this.#stored.delete(oldest);
  }

  /** Forgets a command that could not be stored. */
  failed({ rpcId }: Command): void {
    this.#unsaved.delete(rpcId);
  }

  /** Forgets the commands of a deleted device. */
  readonly forgetOf = (deviceId: DeviceId): void => {
    for (const command of this.#stored.values())
      if (command.deviceId === deviceId) this.#stored.delete(command.rpcId);
  };
}

type Orm = MainDatabase["orm"];
type Statements = Pick<MainDatabase, "orm" | "sqlite">;

/** Fields that are equal in every new command. */
const NEW = {
  status: "QUEUED",
  attempts: 0,
  sentAt: null,
  deliveredAt: null,
  finishedAt: null,
  response: null,
  error: null,
} as const;

interface CommandInsert {
  readonly command: NewCommand;
  /** The command's parameters as JSON. */
  readonly params: string;
  /** Max. waiting commands of the device. */
  readonly queuedMax: number;
}

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
  lazyStatement(() =>
    orm
      .select({ n: sql<number>`count(*)` })
      .from(commands)
      .where(and(eq(commands.deviceId, placeholder("deviceId")), eq(commands.status, placeholder("status")))),
  );

/** Creates the functions that insert a command, in a transaction, and count those of a device. */
function createInserts(database: Statements) {
  const insert = prepareInsert(database);
  const counted = prepareCount(database.orm);
  const countIn = (deviceId: DeviceId, status: CommandState) => counted.get({ deviceId, status })?.n ?? 0;

  function insertNew({ command: { requestId, ...command }, params, queuedMax }: CommandInsert): Command {
    if (countIn(command.deviceId, "QUEUED") >= queuedMax) throw tooManyCommands(queuedMax);
    // Default: the command's own id.
    const values = { ...command, requestId: requestId ?? command.commandId };
    try {
      const { changes, lastInsertRowid } = insert({ ...values, params });
      if (changes === 0) throw requestIdTaken();
      return { ...values, ...NEW, rpcId: Number(lastInsertRowid), dueAt: command.expiresAt };
    } catch (error) {
      throw isOfForeignKey(error) ? deviceNotFound(command.deviceId) : error;
    }
  }
  return { countIn, insertNew };
}

/**
 * Creates the writes of commands, each committed together with all writes of the same turn of the event loop. If the commit fails, a command keeps
 * its stored state.
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
    /** Forgets the commands of a deleted device. */
    forgetOf: recent.forgetOf,
    /** Inserts a command. Fails if the device was deleted, has had a command with this request id, or has `queuedMax` waiting commands. */
    create(insert: CommandInsert, end: NewCommandEnd): void {
      let created: Command;
      late.releaseOf(insert.command.deviceId); // or what was sent to it would count as waiting
      writes.add({
        write() {
          created = insertNew(insert);
        },
        committed: () => end.committed(created),
        failed: end.failed,
      });
    },
    /**
     * Saves the changeable columns of a command. Reads by number immediately return the changed command. `committed` is called with whether it is
     * still current. A change with `isBrief` may wait some milliseconds for the next one.
     */
    save(command: Command, committed: (isCurrent: boolean) => void, isBrief = false): void {
      const { rpcId } = command;
      recent.changed(command);
      const write: GroupedWrite = {
        // Its current state belongs to the same group.
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
    /** Settles with the commit of a command's newest change; `undefined` if none is waiting. */
    storing: (rpcId: number): Promise<void> | undefined => late.storing(rpcId),
    /** Resolves once everything that was written is committed. */
    committed(): Promise<void> {
      late.releaseAll();
      return writes.pending ?? Promise.resolve();
    },
    /** Commits waiting writes. */
    flush(): void {
      late.releaseAll();
      writes.flush();
    },
    /** Commits waiting writes. Only the writers are notified of a failure. */
    settle(): void {
      late.releaseAll();
      writes.settle();
    },
  };
}
