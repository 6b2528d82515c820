import { renameSync, rmSync } from "node:fs";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { type QueuedMessage, Session, type SessionSubscription } from "./session.ts";
import { type RetainedMessage, SessionFile } from "./session-file.ts";

/** Changes reach the file this long after they were made, at most; QoS 2 identifiers at once. */
const flushMs = 100;
/** Payload bytes of all queued messages together; beyond it a client's oldest make room for its newest. */
const queuedBytesMax = 64 * 1024 * 1024;
const retainedMax = 10_000;

export interface SessionStoreOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queuedPerClientMax: number;
}

/** A file that cannot be read is set aside: devices subscribe again, which costs less than a broker that does not start. */
function openFile({ file, log }: SessionStoreOptions): SessionFile {
  try {
    return new SessionFile(file);
  } catch (error) {
    const aside = `${file}.damaged`;
    log.error("the broker's session file is damaged and was set aside", { file, aside, error });
    renameSync(file, aside);
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    return new SessionFile(file);
  }
}

/**
 * Durable sessions with their subscriptions and queued messages, and retained messages: kept in memory, bounded, and written
 * behind in batches. A message that was queued and acknowledged between two batches never touches the file.
 */
export class SessionStore {
  readonly #options: SessionStoreOptions;
  readonly #file: SessionFile;
  /** Session key → durable session. */
  readonly #sessions = new Map<string, Session>();
  /** Topic space → its durable sessions. */
  readonly #spaces = new Map<string, Set<Session>>();
  /** Topic → retained message. */
  readonly retained = new Map<string, RetainedMessage>();
  readonly #changedSessions = new Set<Session>();
  readonly #deletedKeys = new Set<string>();
  /** Queued message → its session's key. */
  readonly #changedMessages = new Map<QueuedMessage, string>();
  readonly #deletedMessages = new Set<number>();
  readonly #changedRetained = new Set<string>();
  #cancelFlush: (() => void) | undefined;
  #nextNo = 1;
  #queuedBytes = 0;
  /** Messages given up because a queue was full. */
  dropped = 0;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
    this.#file = openFile(options);
    this.#load();
  }

  get(key: string): Session | undefined {
    return this.#sessions.get(key);
  }

  /** Deletes the sessions whose time has run out; `now` as in `awaySince`. */
  expire(now: number, slackMs: number): void {
    for (const session of this.all()) {
      const { awaySince, expirySeconds } = session;
      if (awaySince !== undefined && now - awaySince > expirySeconds * 1000 + slackMs) this.delete(session);
    }
  }

  all(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  inSpace(space: string): Iterable<Session> {
    return this.#spaces.get(space) ?? [];
  }

  add(session: Session): void {
    this.#index(session);
    this.changed(session);
  }

  changed(session: Session): void {
    if (this.#sessions.get(session.key) !== session) return;
    this.#changedSessions.add(session);
    this.#flushSoon();
  }

  delete(session: Session): void {
    if (this.#sessions.get(session.key) !== session) return;
    this.#sessions.delete(session.key);
    const others = this.#spaces.get(session.space);
    others?.delete(session);
    if (others?.size === 0) this.#spaces.delete(session.space);
    this.#changedSessions.delete(session);
    this.#deletedKeys.add(session.key);
    for (const message of session.queue.splice(0)) this.#forget(message);
    session.queuedBytes = 0;
    this.#flushSoon();
  }

  /** Writes the session's QoS 2 identifiers at once: the answer that follows must not outlive them. */
  saveReceived(session: Session): void {
    if (this.#sessions.get(session.key) !== session) return;
    if (this.#deletedKeys.has(session.key)) {
      // Its predecessor's end, written later, would take them along.
      this.#cancelFlush?.();
      this.#flush();
    }
    this.#file.saveReceived(session);
  }

  subscribe(session: Session, topic: string, subscription: SessionSubscription): void {
    session.subscriptions.set(topic, subscription);
    this.changed(session);
  }

  unsubscribe(session: Session, topics: readonly string[]): void {
    for (const topic of topics) session.subscriptions.delete(topic);
    this.changed(session);
  }

  enqueue(session: Session, message: Omit<QueuedMessage, "no" | "messageId" | "released" | "saved">): void {
    const { queuedPerClientMax } = this.#options;
    if (queuedPerClientMax === 0) {
      this.dropped++;
      return;
    }
    const bytes = message.payload.length;
    const { queue } = session;
    while (
      queue.length >= queuedPerClientMax ||
      (queue.length > 0 && this.#queuedBytes + bytes > queuedBytesMax)
    ) {
      this.remove(session, 0);
      this.dropped++;
    }
    const queued = { ...message, no: this.#nextNo++, messageId: undefined, released: false, saved: false };
    queue.push(queued);
    session.queuedBytes += bytes;
    this.#queuedBytes += bytes;
    this.messageChanged(session, queued);
  }

  messageChanged(session: Session, message: QueuedMessage): void {
    this.#changedMessages.set(message, session.key);
    this.#flushSoon();
  }

  remove(session: Session, index: number): QueuedMessage | undefined {
    const message = index === 0 ? session.queue.shift() : session.queue.splice(index, 1)[0];
    if (message === undefined) return undefined;
    session.queuedBytes -= message.payload.length;
    this.#forget(message);
    return message;
  }

  retain(message: RetainedMessage): void {
    if (message.payload.length === 0) this.retained.delete(message.topic);
    else if (this.retained.size < retainedMax || this.retained.has(message.topic)) {
      this.retained.set(message.topic, message);
    } else {
      this.dropped++;
      return;
    }
    this.#changedRetained.add(message.topic);
    this.#flushSoon();
  }

  close(): void {
    this.#cancelFlush?.();
    this.#flush();
    this.#file.close();
  }

  #index(session: Session): void {
    this.#sessions.set(session.key, session);
    const space = this.#spaces.get(session.space) ?? new Set();
    this.#spaces.set(session.space, space.add(session));
  }

  #forget(message: QueuedMessage): void {
    this.#queuedBytes -= message.payload.length;
    this.#changedMessages.delete(message);
    if (message.saved) this.#deletedMessages.add(message.no);
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#options.clock.schedule(flushMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    try {
      this.#file.batch(() => this.#write());
    } catch (error) {
      this.#options.log.error("broker sessions could not be written", { error });
    }
  }

  #write(): void {
    const file = this.#file;
    for (const key of this.#deletedKeys) file.deleteSession(key);
    for (const session of this.#changedSessions) file.saveSession(session);
    for (const no of this.#deletedMessages) file.deleteMessage(no);
    for (const [message, key] of this.#changedMessages) {
      file.saveMessage(key, message);
      message.saved = true;
    }
    for (const topic of this.#changedRetained) {
      const message = this.retained.get(topic);
      if (message === undefined) file.deleteRetained(topic);
      else file.saveRetained(message);
    }
    this.#deletedKeys.clear();
    this.#changedSessions.clear();
    this.#deletedMessages.clear();
    this.#changedMessages.clear();
    this.#changedRetained.clear();
  }

  #load(): void {
    const received = this.#file.received();
    for (const row of this.#file.sessions()) {
      const { key, space, client_id: clientId, expiry_s: expirySeconds } = row;
      const session = new Session({ key, space, clientId, expirySeconds });
      const subscriptions: [string, SessionSubscription][] = JSON.parse(row.subscriptions);
      for (const [topic, subscription] of subscriptions) session.subscriptions.set(topic, subscription);
      for (const id of received.get(row.key) ?? []) {
        session.received.add(id);
        session.recovered.add(id);
      }
      session.awaySince = 0;
      this.#index(session);
    }
    for (const { key, message } of this.#file.messages()) {
      this.#nextNo = Math.max(this.#nextNo, message.no + 1);
      const session = this.#sessions.get(key);
      if (session === undefined) {
        this.#deletedMessages.add(message.no);
        continue;
      }
      session.queue.push(message);
      session.queuedBytes += message.payload.length;
      this.#queuedBytes += message.payload.length;
    }
    for (const message of this.#file.retained()) this.retained.set(message.topic, message);
  }
}
