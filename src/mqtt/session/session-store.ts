import { existsSync } from "node:fs";
import { detail } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { TopicTree } from "../../lib/mqtt/topic-tree.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Stamp } from "../../platform/database/database-stamp.ts";
import { setAside } from "../../platform/files/set-aside.ts";
import { storageFaultOf } from "../../platform/files/storage-fault.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { isShared } from "../broker/client-filters.ts";
import { RetainedMessages } from "../broker/retained-messages.ts";
import { SharedGroups } from "../broker/shared-groups.ts";
import { SubscriptionCounts } from "../broker/subscription-counts.ts";
import type { MqttHandlers, MqttServerDeps, MqttUsage } from "../mqtt.types.ts";
import { isApplicationSpace } from "../topics/principal.ts";
import type { ReceiverSubscription } from "../topics/receivers.ts";
import { fromBrokerTopic } from "../topics/topics.ts";
import { type QueuedMessage, Session, type SessionSubscription } from "./session.ts";
import { SessionChanges } from "./session-changes.ts";
import { SessionCounts } from "./session-counts.ts";
import { type RetainedMessage, SessionFile } from "./session-file.ts";

interface QueueByteLimits {
  /** Max. bytes for all clients of one device or API key. */
  readonly perCredential: number;
  /** Returns the max. bytes for all clients of a tenant; null for no limit. */
  perTenant(tenantId: string): number | null;
  /** Max. bytes for all tenants. Beyond it, the tenant with the most bytes gives up messages. */
  readonly all: number;
}

/** Session whose oldest messages make room, and the missing bytes. */
interface Victim {
  readonly session: Session;
  readonly bytes: number;
}

/** Queued bytes under one shared limit. */
class Pool {
  bytes = 0;
  /** Sessions with queued messages, the longest waiting first. */
  readonly waiting = new Set<Session>();

  get oldest(): Session | undefined {
    return this.waiting.values().next().value;
  }

  change(session: Session, bytes: number): void {
    this.bytes += bytes;
    if (session.queue.length > 0) this.waiting.add(session);
    else this.waiting.delete(session);
  }
}

/** Selects the queue that gives up a message: never that of another tenant, unless that tenant has the most bytes. */
class QueueLimits {
  readonly #limits: QueueByteLimits;
  readonly #credentials = new Map<string, Pool>();
  readonly #tenants = new Map<string, Pool>();
  #bytes = 0;

  constructor(limits: QueueByteLimits) {
    this.#limits = limits;
  }

  /** Counts a change of a queue after it was made. */
  changed(session: Session, bytes: number): void {
    const { tenantId, credentialId } = session.owner;
    session.queuedBytes += bytes;
    this.#bytes += bytes;
    for (const [pools, id] of [
      [this.#credentials, credentialId],
      [this.#tenants, tenantId],
    ] as const) {
      const pool = pools.get(id) ?? new Pool();
      pool.change(session, bytes);
      if (pool.bytes > 0 || pool.waiting.size > 0) pools.set(id, pool);
      else pools.delete(id);
    }
  }

  /** Returns whether `bytes` more fit into the queue of the session; otherwise, the session whose oldest messages must go first, if any. */
  check(session: Session, bytes: number): { fits: true } | { fits: false; victim?: Victim | undefined } {
    const { tenantId, credentialId } = session.owner;
    const own = session.queue.length > 0 ? session : undefined;
    const refused = (victim: Session | undefined, excess: number) => ({
      fits: false as const,
      victim: victim && { session: victim, bytes: excess },
    });
    const credential = this.#credentials.get(credentialId);
    const ofCredential = (credential?.bytes ?? 0) + bytes - this.#limits.perCredential;
    if (ofCredential > 0) return refused(own ?? credential?.oldest, ofCredential);
    const tenant = this.#tenants.get(tenantId);
    const tenantBytes = (tenant?.bytes ?? 0) + bytes;
    const ofTenant = tenantBytes - (this.#limits.perTenant(tenantId) ?? Number.POSITIVE_INFINITY);
    if (ofTenant > 0) return refused(own ?? tenant?.oldest, ofTenant);
    const ofAll = this.#bytes + bytes - this.#limits.all;
    if (ofAll <= 0) return { fits: true };
    const larger = this.#largestBeyond(tenantBytes);
    // A tenant loses messages only while it has the most.
    if (larger !== undefined) return refused(larger.oldest, Math.min(ofAll, larger.bytes - tenantBytes));
    return refused(own ?? tenant?.oldest, ofAll);
  }

  bytesOf(tenantId: string): number {
    return this.#tenants.get(tenantId)?.bytes ?? 0;
  }

  #largestBeyond(bytes: number): Pool | undefined {
    let largest: Pool | undefined;
    for (const pool of this.#tenants.values()) if (pool.bytes > (largest?.bytes ?? bytes)) largest = pool;
    return largest;
  }
}

/** Approximate memory of a queued message in addition to its topic and payload. */
const MESSAGE_OVERHEAD_BYTES = 256;

/** full: a queue is full. congested: the client reads too slowly. size: the packet is too large for the client. */
export type MessageLoss = "full" | "congested" | "size" | "expired";

export interface SessionStoreOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queuedPerClientMax: number;
  readonly queuedBytes: QueueByteLimits;
  /** Called with a description of the loss, in English, if the file is damaged. */
  readonly onLoss?: (text: Text) => void;
  /** Called when a session was deleted with its content. */
  readonly onDeleted?: (session: Session) => void;
  /** Called when messages of a session are dropped. */
  readonly onDropped?: (session: Session, reason: MessageLoss, count: number) => void;
}

const bytesOf = ({ payload, topic }: Pick<QueuedMessage, "payload" | "topic">) =>
  payload.length + topic.length + MESSAGE_OVERHEAD_BYTES;

const isUnsent = ({ messageId }: QueuedMessage) => messageId === undefined;

/** Opens the store of a server, with the limits of the server. */
export function openSessionStore(
  deps: Pick<MqttServerDeps, "sessionFile" | "clock" | "log" | "limits" | "quotasOf" | "onLoss"> &
    Pick<MqttHandlers, "onSessionEnded">,
  onDropped: NonNullable<SessionStoreOptions["onDropped"]>,
): SessionStore {
  const { sessionFile: file, clock, log, limits, onLoss } = deps;
  const queuedBytes = {
    perCredential: limits.queuedBytesPerCredentialMax,
    perTenant: (tenantId: string) => deps.quotasOf(tenantId).queuedBytes,
    all: limits.queuedBytesMax,
  };
  return loadSessions({
    file,
    clock,
    log,
    queuedPerClientMax: limits.queuedPerClientMax,
    queuedBytes,
    onDeleted({ space }) {
      if (!isApplicationSpace(space)) deps.onSessionEnded?.(space as DeviceId); // the space of a device is its id
    },
    onDropped,
    ...(onLoss && { onLoss }),
  });
}

/**
 * Loads the sessions. An unreadable file is set aside: devices subscribe again, which costs less than a broker that does not start. A full or
 * busy disk or missing permissions do not justify that.
 */
export function loadSessions(options: SessionStoreOptions): SessionStore {
  try {
    return new SessionStore(options);
  } catch (error) {
    const fault = storageFaultOf(error);
    if (error instanceof StartupError || (fault !== undefined && fault !== "unreadable")) throw error;
    setFileAside(options, error);
    return new SessionStore(options);
  }
}

function setFileAside({ file, log, onLoss }: SessionStoreOptions, error: unknown): void {
  log.error("MQTT session file damaged", { file, error });
  const aside = setAside(file);
  for (const suffix of ["-wal", "-shm", "-synced"]) if (existsSync(file + suffix)) setAside(file + suffix);
  onLoss?.(detail("loss.sessions", { path: aside }));
}

/**
 * Durable sessions with their subscriptions and queued messages, and retained messages: bounded, kept in memory and written later in batches. A
 * message that was queued and acknowledged between two batches never reaches the file.
 */
export class SessionStore {
  readonly #options: SessionStoreOptions;
  readonly #file: SessionFile;
  /** Durable sessions by session key. */
  readonly #sessions = new Map<string, Session>();
  /** Durable sessions by topic space. */
  readonly #spaces = new Map<string, Set<Session>>();
  /** Subscriptions of durable sessions by space of applications. */
  readonly #subscribers = new Map<string, TopicTree<Session, ReceiverSubscription<Session>>>();
  readonly retained = new RetainedMessages();
  readonly #changes: SessionChanges;
  #nextNo = 1;
  readonly #queues: QueueLimits;
  /** Sessions of applications, which are searched for each message of their tenant. */
  readonly applicationSessions = new SessionCounts();
  readonly sharedGroups = new SharedGroups();
  /** Subscriptions of applications, with or without a durable session. */
  readonly subscriptions = new SubscriptionCounts();
  /** Dropped queued messages by tenant. */
  readonly #droppedOf = new Map<string, number>();
  /** Messages dropped because a queue was full. */
  dropped = 0;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
    this.#queues = new QueueLimits(options.queuedBytes);
    this.#file = new SessionFile(options.file);
    const { clock, log } = options;
    this.#changes = new SessionChanges({ file: this.#file, retained: this.retained, clock, log });
    try {
      this.#load();
    } catch (error) {
      this.#file.abandon();
      throw error;
    }
  }

  /** Stamps the file with its data directory and generation. The stamp is on disk on return. */
  stamp(stamp: Stamp): void {
    this.#file.stamp(stamp);
  }

  get(key: string): Session | undefined {
    return this.#sessions.get(key);
  }

  /** Deletes expired sessions, at least one of them before `isTurnOver`; `now` as in `awaySince`. */
  expire(now: number, slackMs: number, isTurnOver: () => boolean): void {
    for (const session of this.all()) {
      const { awaySince, expirySeconds } = session;
      if (awaySince === undefined || now - awaySince <= expirySeconds * 1000 + slackMs) continue;
      this.delete(session);
      if (isTurnOver()) return; // the queue of each may be long
    }
  }

  all(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  /** Returns the subscriptions of durable sessions that match a topic in a space of applications, except shared ones. */
  subscribersOf(space: string, topic: string): readonly ReceiverSubscription<Session>[] {
    return this.#subscribers.get(space)?.match(topic) ?? [];
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
    this.#changes.session(session);
  }

  delete(session: Session): void {
    if (this.#sessions.get(session.key) !== session) return;
    this.#sessions.delete(session.key);
    if (isApplicationSpace(session.space)) this.applicationSessions.remove(session.owner);
    for (const filter of session.subscriptions.keys()) this.#unfollow(session, filter);
    const others = this.#spaces.get(session.space);
    others?.delete(session);
    if (others?.size === 0) {
      this.#spaces.delete(session.space);
      this.#subscribers.delete(session.space);
    }
    this.#changes.sessionDeleted(session);
    for (const message of session.queue.splice(0)) this.#changes.messageDeleted(message);
    this.#queues.changed(session, -session.queuedBytes);
    this.#options.onDeleted?.(session);
  }

  /** Writes the QoS 2 identifiers of the session immediately, because the response must not outlive them. */
  saveReceived(session: Session): void {
    if (this.#sessions.get(session.key) !== session) return;
    // Otherwise, the end of its predecessor, written later, would delete them.
    this.#changes.settleKey(session.key);
    this.#file.saveReceived(session);
  }

  subscribe(session: Session, topic: string, subscription: SessionSubscription): void {
    const isNew = !session.subscriptions.has(topic);
    session.subscriptions.set(topic, subscription);
    this.#follow(session, topic, { ...subscription, isNew });
    this.changed(session);
  }

  unsubscribe(session: Session, topics: readonly string[]): void {
    for (const topic of topics) {
      const isKept = this.#sessions.get(session.key) === session;
      if (session.subscriptions.delete(topic) && isKept) this.#unfollow(session, topic);
    }
    this.changed(session);
  }

  #follow(
    session: Session,
    filter: string,
    { qos, nl, rap, isNew }: SessionSubscription & { readonly isNew: boolean },
  ): void {
    const { key, space, owner } = session;
    const topic = fromBrokerTopic(filter);
    if (!isApplicationSpace(space) || this.#sessions.get(key) !== session) return;
    if (isNew) this.subscriptions.add(owner, topic);
    if (isShared(topic)) {
      this.sharedGroups.join(space, topic, { key, qos, by: session });
      return;
    }
    const tree = this.#subscribers.get(space) ?? new TopicTree();
    this.#subscribers.set(space, tree);
    tree.set(topic, session, { receiver: session, qos, noLocal: nl, retainAsPublished: rap });
  }

  #unfollow(session: Session, filter: string): void {
    const { key, space, owner } = session;
    if (!isApplicationSpace(space)) return;
    const topic = fromBrokerTopic(filter);
    this.subscriptions.remove(owner, topic);
    if (isShared(topic)) this.sharedGroups.leave(space, topic, { key, by: session });
    else this.#subscribers.get(space)?.delete(topic, session);
  }

  enqueue(session: Session, message: Omit<QueuedMessage, "no" | "messageId" | "released" | "saved">): void {
    if (this.#sessions.get(session.key) !== session) return;
    const { queuedPerClientMax } = this.#options;
    const { queue } = session;
    while (
      queue.length > 0 &&
      queue.length >= queuedPerClientMax &&
      this.#dropFor(session, { session, bytes: 0 })
    );
    const bytes = bytesOf(message);
    const hasRoom = queue.length < queuedPerClientMax && this.#evictOldest(session, bytes);
    if (!hasRoom) {
      this.countDropped(session);
      return;
    }
    const { brokerId, brokerCounter, topic, payload, qos, retain } = message;
    const described = { brokerId, brokerCounter, topic, payload, qos, retain };
    const queued = { ...described, no: this.#nextNo++, messageId: undefined, released: false, saved: false };
    queue.push(queued);
    this.#queues.changed(session, bytes);
    this.messageChanged(session, queued);
  }

  /** Returns false if dropping messages cannot make enough room. */
  #evictOldest(session: Session, bytes: number): boolean {
    for (;;) {
      const room = this.#queues.check(session, bytes);
      if (room.fits) return true;
      if (room.victim === undefined || !this.#dropFor(session, room.victim)) return false;
    }
  }

  /**
   * Gives up the oldest messages of the victim that were not sent, until the missing bytes are free: to a client that has received a message of QoS 2, the next one under the same identifier
   * is a repetition (MQTT 5, 4.3.3). Returns `false` if an application's client would lose one that is in flight to a message of its own.
   */
  #dropFor(session: Session, { session: victim, bytes: missing }: Victim): boolean {
    const { queue } = victim;
    const firstUnsent = queue.findIndex(isUnsent);
    if (firstUnsent < 0 && victim === session && isApplicationSpace(victim.space)) return false;
    const begin = Math.max(0, firstUnsent);
    let end = begin;
    let bytes = 0;
    do bytes += bytesOf(queue[end++]!);
    while (bytes < missing && end < queue.length && isUnsent(queue[end]!)); // within its bounds
    // In one statement, because a large message may displace thousands.
    const dropped = queue.splice(begin, end - begin);
    this.#queues.changed(victim, -bytes);
    for (const message of dropped) this.#changes.messageDeleted(message);
    this.countDropped(victim, "full", dropped.length);
    return true;
  }

  /** Counts dropped messages. */
  countDropped(session: Session, reason: MessageLoss = "full", count = 1): void {
    const { owner } = session;
    this.dropped += count;
    this.#options.onDropped?.(session, reason, count);
    this.#droppedOf.set(owner.tenantId, (this.#droppedOf.get(owner.tenantId) ?? 0) + count);
  }

  usageOf(
    tenantId: string,
  ): Pick<MqttUsage, "sessions" | "queuedBytes" | "dropped" | "subscriptions" | "subscriptionsRefused"> {
    return {
      subscriptions: this.subscriptions.ofTenant(tenantId).subscriptions,
      subscriptionsRefused: this.subscriptions.refusedOf(tenantId),
      sessions: this.applicationSessions.ofTenant(tenantId),
      queuedBytes: this.#queues.bytesOf(tenantId),
      dropped: this.#droppedOf.get(tenantId) ?? 0,
    };
  }

  messageChanged(session: Session, message: QueuedMessage): void {
    this.#changes.message(session, message);
  }

  remove(session: Session, index: number): QueuedMessage | undefined {
    const message = index === 0 ? session.queue.shift() : session.queue.splice(index, 1)[0];
    if (message === undefined) return undefined;
    this.#queues.changed(session, -bytesOf(message));
    this.#changes.messageDeleted(message);
    return message;
  }

  retain(message: RetainedMessage): void {
    const hadMessage = this.retained.get(message.topic) !== undefined;
    const isKept = this.retained.set(message);
    if (!isKept) this.dropped++;
    if (isKept || hadMessage) this.#changes.retained(message.topic);
  }

  /** Deletes the retained messages of a space. */
  clearRetained(space: string): void {
    for (const topic of this.retained.topicsOf(space))
      this.retain({ topic, payload: Buffer.alloc(0), qos: 0 });
  }

  close(): void {
    this.#changes.close();
    this.#file.close();
  }

  #index(session: Session): void {
    this.#sessions.set(session.key, session);
    if (isApplicationSpace(session.space)) this.applicationSessions.add(session.owner);
    for (const [filter, subscription] of session.subscriptions)
      this.#follow(session, filter, { ...subscription, isNew: true });
    const space = this.#spaces.get(session.space) ?? new Set();
    this.#spaces.set(session.space, space.add(session));
  }

  #load(): void {
    const received = this.#file.received();
    for (const row of this.#file.sessions()) {
      const { key, space, client_id: clientId, expiry_s: expirySeconds } = row;
      const owner = { tenantId: row.tenant_id, credentialId: row.credential_id };
      const session = new Session({ key, space, clientId, owner, expirySeconds });
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
        this.#changes.messageDeleted(message);
        continue;
      }
      session.queue.push(message);
      this.#queues.changed(session, bytesOf(message));
    }
    for (const message of this.#file.retained()) this.retained.set(message);
  }
}
