import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { RetainedMessages } from "../broker/retained-messages.ts";
import type { QueuedMessage, Session } from "./session.ts";
import type { SessionFile } from "./session-file.ts";

/** Max. time until changes are written to the file, unless they exceed one commit, in ms. */
const FLUSH_MS = 100;
/** Max. rows and bytes per commit, some 5 ms, so that nobody waits for the queues of thousands of sessions. A single row may be larger. */
const FLUSH_MAX: Size = { rows: 1_000, bytes: 1024 * 1024 };
const EVERYTHING: Size = { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

interface Size {
  readonly rows: number;
  /** Bytes of payloads. */
  readonly bytes: number;
}

interface Batch {
  readonly deletedKeys: string[];
  readonly sessions: Session[];
  readonly deletedMessages: number[];
  readonly messages: Array<[QueuedMessage, string]>;
  readonly retained: string[];
}

interface ChangesDeps {
  readonly file: SessionFile;
  readonly retained: Pick<RetainedMessages, "get">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Takes changes until a batch is full. */
class BatchSpace {
  readonly #max: Size;
  rows = 0;
  #bytes = 0;

  constructor(max: Size) {
    this.#max = max;
  }

  take<Item>(changes: Iterable<Item>, bytesOf: (change: Item) => number = () => 0): Item[] {
    const taken: Item[] = [];
    for (const change of changes) {
      if (this.rows >= this.#max.rows || this.#bytes >= this.#max.bytes) break;
      taken.push(change);
      this.rows++;
      this.#bytes += bytesOf(change);
    }
    return taken;
  }
}

/** Unwritten changes of broker sessions. They are written later, in batches of bounded size. */
export class SessionChanges {
  readonly #deps: ChangesDeps;
  readonly #sessions = new Set<Session>();
  readonly #deletedKeys = new Set<string>();
  /** Session keys by queued message. */
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

  /** Writes pending ends of sessions now if one of them had this key. */
  settleKey(key: string): void {
    if (this.#deletedKeys.has(key)) this.#flush({ ...FLUSH_MAX, rows: this.#deletedKeys.size });
  }

  /** Writes all remaining changes. */
  close(): void {
    this.#flush(EVERYTHING);
    this.#cancelFlush?.();
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#deps.clock.schedule(FLUSH_MS, () => this.#flush(FLUSH_MAX));
  }

  #flush(max: Size): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const { file, log, clock } = this.#deps;
    const batch = this.#nextBatch(max);
    try {
      file.batch(() => this.#write(batch));
    } catch (error) {
      log.error("broker sessions could not be written", { error });
      return; // what was not written goes with the next change
    }
    this.#forget(batch);
    if (this.#hasChanges()) this.#cancelFlush = clock.schedule(0, () => this.#flush(FLUSH_MAX));
  }

  /** Returns the next batch. Ends of sessions come first, because a successor must not be deleted with its predecessor. */
  #nextBatch(max: Size): Batch {
    const space = new BatchSpace(max);
    const deletedKeys = space.take(this.#deletedKeys);
    const sessions = space.take(this.#sessions);
    const deletedMessages = space.take(this.#deletedMessages);
    const messages = space.take(this.#messages, ([{ payload }]) => payload.length);
    const { retained: kept } = this.#deps;
    const retained = space.take(this.#retained, (topic) => kept.get(topic)?.payload.length ?? 0);
    return { deletedKeys, sessions, deletedMessages, messages, retained };
  }

  #hasChanges(): boolean {
    return [this.#deletedKeys, this.#sessions, this.#deletedMessages, this.#messages, this.#retained].some(
      ({ size }) => size > 0,
    );
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
