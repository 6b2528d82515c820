import { and, asc, desc, eq, gte, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { parsedTogether } from "../../platform/database/parsed-together.ts";
import type { RowPage } from "../../platform/database/row-list.ts";
import { parseStored } from "../../platform/database/stored-json.ts";
import { createCommandWrites } from "./command-writes.repository.ts";
import { commands } from "./commands.tables.ts";
import type { Command, CommandFilter, CommandState } from "./commands.types.ts";
import { COMMAND_BYTES } from "./open-commands.ts";

type Row = typeof commands.$inferSelect;

/** Max. commands per deletion; fewer finish between two deletions. */
const TRIMMED_PER_STEP = 2_000;

const toCommand = (row: Row): Command => ({
  ...row,
  params: parseStored(row.params, "commands", "params") as JsonValue,
  error: row.error === null ? null : (parseStored(row.error, "commands", "error") as Text),
  response: row.response === null ? null : (parseStored(row.response, "commands", "response") as JsonValue),
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

/** Creates the repository of commands. Writes are committed together with all writes of the same turn of the event loop. */
export function createCommandsRepository({ orm, sqlite, writes }: MainDatabase) {
  const { recent, countIn, ...written } = createCommandWrites({ orm, sqlite, writes });
  // Each command of ten thousand is looked up several times on its way: prepared once.
  const { placeholder } = sql;
  const byId = lazyStatement(() =>
    orm
      .select()
      .from(commands)
      .where(eq(commands.commandId, placeholder("commandId"))),
  );
  const byRpcId = lazyStatement(() =>
    orm
      .select()
      .from(commands)
      .where(eq(commands.rpcId, placeholder("rpcId"))),
  );
  const commandOf = (row: Row | undefined) => (row === undefined ? undefined : toCommand(row));
  /** Commits waiting writes and returns the database; for reads by more than a command's number. */
  function current() {
    written.settle();
    return orm;
  }
  function countOf(deviceId: DeviceId, { status, ...filter }: CommandFilter): number {
    current();
    const isPlain = Object.values(filter).every((value) => value === undefined);
    if (status !== undefined && isPlain) return countIn(deviceId, status);
    const condition = matching(deviceId, { ...filter, status });
    return orm.select({ n: sql<number>`count(*)` }).from(commands).where(condition).get()?.n ?? 0;
  }
  return {
    ...written,
    find(commandId: string): Command | undefined {
      current();
      return commandOf(byId.get({ commandId }));
    },
    findByRpcId: (rpcId: number): Command | undefined =>
      recent.find(rpcId) ?? commandOf(byRpcId.get({ rpcId })),
    findByRequestId(deviceId: DeviceId, requestId: string): Command | undefined {
      const row = current()
        .select()
        .from(commands)
        .where(and(eq(commands.deviceId, deviceId), eq(commands.requestId, requestId)))
        .get();
      return commandOf(row);
    },
    /** Finds a page of commands, newest first. */
    list: (
      deviceId: DeviceId,
      { limit, offset, ...filter }: CommandFilter & { limit: number; offset: number },
    ): RowPage<Command> => ({
      keys: current()
        .select({ rpcId: commands.rpcId })
        .from(commands)
        .where(matching(deviceId, filter))
        .orderBy(desc(commands.rpcId))
        .limit(limit)
        .offset(offset)
        .all()
        .map(({ rpcId }) => rpcId),
      total: countOf(deviceId, filter),
      read: (rpcId) => commandOf(byRpcId.get({ rpcId })),
    }),
    /** Returns the newest command of a device in a state. */
    newest: (deviceId: DeviceId, status: CommandState): Command | undefined =>
      commandOf(
        current()
          .select()
          .from(commands)
          .where(of(deviceId, status))
          .orderBy(desc(commands.rpcId))
          .limit(1)
          .get(),
      ),
    /** Lists the commands of one device, oldest first. */
    listIn: (deviceId: DeviceId, status: CommandState, limit: number): Command[] =>
      current()
        .select()
        .from(commands)
        .where(of(deviceId, status))
        .orderBy(asc(commands.rpcId))
        .limit(limit)
        .all()
        .map(toCommand),
    /** Yields the commands of all devices, read one after the other. */
    *eachIn(status: CommandState): Generator<Command> {
      const found = current()
        .select({ rpcId: commands.rpcId })
        .from(commands)
        .where(eq(commands.status, status))
        .all();
      for (const { rpcId } of found) {
        const command = commandOf(byRpcId.get({ rpcId }));
        if (command !== undefined) yield command;
      }
    },
    /** Lists commands that are due at `now`: `limit` at most, and fewer if they are large. */
    listDue(now: number, limit: number): Command[] {
      const due = current()
        .select({ rpcId: commands.rpcId, bytes: sql<number>`octet_length(${commands.params})` })
        .from(commands)
        .where(lte(commands.dueAt, now))
        .orderBy(asc(commands.dueAt))
        .limit(limit)
        .all();
      return parsedTogether(due).flatMap(({ rpcId }) => commandOf(byRpcId.get({ rpcId })) ?? []);
    },
    /** Returns the next due time, epoch ms. */
    nextDueAt: (): number | undefined =>
      current()
        .select({ at: commands.dueAt })
        .from(commands)
        .where(isNotNull(commands.dueAt))
        .orderBy(asc(commands.dueAt))
        .limit(1)
        .get()?.at ?? undefined,
    /** Deletes a device's oldest finished commands beyond `bytesMax`, a limited number per call. */
    trimFinished(deviceId: DeviceId, bytesMax: number): void {
      const bytes = sql`${COMMAND_BYTES} + octet_length(params) + coalesce(octet_length(response), 0) + coalesce(octet_length(error), 0)`;
      const ranked = sql`SELECT rpc_id, sum(${bytes}) OVER (ORDER BY rpc_id DESC) AS bytes FROM commands WHERE device_id = ${deviceId} AND finished_at IS NOT NULL`;
      const oldest = sql`SELECT rpc_id FROM (${ranked}) WHERE bytes > ${bytesMax} LIMIT ${TRIMMED_PER_STEP}`;
      current().delete(commands).where(sql`${commands.rpcId} IN (${oldest})`).run();
    },
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
