import type { Logger } from "../platform/core/log.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { RetainedMessages } from "./retained-messages.ts";
import type { QueuedMessage, Session } from "./session.ts";
import type { SessionFile } from "./session-file.ts";

/** Changes reach the file this long after they were made, at most, unless there are more than one commit takes. */
const FLUSH_MS = 100;
/** Rows that one commit writes, some 5 ms: nobody waits for the queues of thousands of sessions. */
const FLUSH_ROWS_MAX = 1_000;

interface Batch {
  readonly deletedKeys: string[];
  readonly sessions: Session[];
  readonly deletedMessages: number[];
  readonly messages: Array<[QueuedMessage, string]>;
  readonly retained: string[];
  readonly rows: number;
}

interface ChangesDeps {
  readonly file: SessionFile;
  readonly retained: Pick<RetainedMessages, "get">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The first `room` of some changes. */
function first<Item>(changes: Iterable<Item>, room: number): Item[] {
  const taken: Item[] = [];
  for (const change of changes) {
    if (taken.length >= room) break;
    taken.push(change);
  }
  return taken;
}

/** Changes of the broker's sessions that are not on file yet. They are written later, in batches of bounded size. */
export class SessionChanges {
  readonly #deps: ChangesDeps;
  readonly #sessions = new Set<Session>();
  readonly #deletedKeys = new Set<string>();
  /** Queued message → its session's key. */
  readonly #messages = new Map<QueuedMessage, string>();
  readonly #deletedMessages = new Set<number>();
  readonly #retained = new Set<string>();
  #cancelFlush: (() => void) | undefined;

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  session(session: Session): void {
    this.#sessions.add(session);
    this.#flushSoon();
  }

  sessionDeleted(session: Session): void {
    this.#sessions.delete(session);
    this.#deletedKeys.add(session.key);
    this.#flushSoon();
  }

  message(session: Session, message: QueuedMessage): void {
    this.#messages.set(message, session.key);
    this.#flushSoon();
  }

  messageDeleted(message: QueuedMessage): void {
    this.#messages.delete(message);
    if (message.saved) this.#deletedMessages.add(message.no);
    this.#flushSoon();
  }

  retained(topic: string): void {
    this.#retained.add(topic);
    this.#flushSoon();
  }

  /** Writes the ends of sessions now if one of them had this key. */
  settleKey(key: string): void {
    if (this.#deletedKeys.has(key)) this.#flush(this.#deletedKeys.size);
  }

  /** Writes everything that is left. */
  close(): void {
    this.#flush(Number.POSITIVE_INFINITY);
    this.#cancelFlush?.();
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#deps.clock.schedule(FLUSH_MS, () => this.#flush(FLUSH_ROWS_MAX));
  }

  #flush(rowsMax: number): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const { file, log, clock } = this.#deps;
    const batch = this.#nextBatch(rowsMax);
    try {
      file.batch(() => this.#write(batch));
    } catch (error) {
      log.error("broker sessions could not be written", { error });
      return; // what was not written goes with the next change
    }
    this.#forget(batch);
    if (this.#nextBatch(1).rows > 0) this.#cancelFlush = clock.schedule(0, () => this.#flush(FLUSH_ROWS_MAX));
  }

  /** Ends of sessions go first: what is written of a successor must not be deleted with its predecessor. */
  #nextBatch(rowsMax: number): Batch {
    let rows = 0;
    const take = <Item>(changes: Iterable<Item>): Item[] => {
      const taken = first(changes, rowsMax - rows);
      rows += taken.length;
      return taken;
    };
    const deletedKeys = take(this.#deletedKeys);
    const sessions = take(this.#sessions);
    const deletedMessages = take(this.#deletedMessages);
    const messages = take(this.#messages);
    const retained = take(this.#retained);
    return { deletedKeys, sessions, deletedMessages, messages, retained, rows };
  }

  #write(batch: Batch): void {
    const { file, retained } = this.#deps;
    for (const key of batch.deletedKeys) file.deleteSession(key);
    for (const session of batch.sessions) file.saveSession(session);
    for (const no of batch.deletedMessages) file.deleteMessage(no);
    for (const [message, key] of batch.messages) file.saveMessage(key, message);
    for (const topic of batch.retained) {
      const message = retained.get(topic);
      if (message === undefined) file.deleteRetained(topic);
      else file.saveRetained(message);
    }
  }

  #forget(batch: Batch): void {
    for (const key of batch.deletedKeys) this.#deletedKeys.delete(key);
    for (const session of batch.sessions) this.#sessions.delete(session);
    for (const no of batch.deletedMessages) this.#deletedMessages.delete(no);
    for (const [message] of batch.messages) {
      message.saved = true;
      this.#messages.delete(message);
    }
    for (const topic of batch.retained) this.#retained.delete(topic);
  }
}
