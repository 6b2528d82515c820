import type { CommitGroup } from "../connection/ack-queue.ts";

/** Returns the internal name of a client: the key of its session and a number, so that it never equals that of a successor. */
export const brokerClientIdOf = (sessionKey: string, number: number): string => `${sessionKey}#${number}`;

export const sessionKeyOf = (brokerClientId: string): string =>
  brokerClientId.slice(0, brokerClientId.lastIndexOf("#"));

/** 0xFFFFFFFF: the session does not expire (MQTT 5, 3.1.2.11.2). */
export const NEVER_EXPIRES = 0xffff_ffff;

export interface SessionSubscription {
  readonly qos: 0 | 1 | 2;
  readonly nl: boolean;
  readonly rap: boolean;
  readonly rh: number;
  /** MQTT 5 subscription identifier; 0 for none. */
  readonly identifier: number;
}

/** Owner of a session, against whose limits and those of its tenant the session counts. */
export interface SessionOwner {
  readonly tenantId: string;
  /** Id of the device or the API key. */
  readonly credentialId: string;
}

/** Message kept for a durable session until it is acknowledged. */
export interface QueuedMessage {
  /** Unique in the session file. */
  readonly no: number;
  /** Name and number of the message in Aedes; undefined if Aedes does not deliver it. */
  readonly brokerId?: string | undefined;
  readonly brokerCounter?: number | undefined;
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  messageId: number | undefined;
  /** True after PUBREC, so that PUBREL is repeated instead of PUBLISH. */
  released: boolean;
  saved: boolean;
}

/** State of one client in the broker: for one connection, or (durable) across connections and restarts. */
export class Session {
  /** Internal name of the client, independent of its client id, so that devices cannot collide. */
  readonly key: string;
  /** First level of its internal topics. */
  readonly space: string;
  readonly clientId: string;
  readonly owner: SessionOwner;
  /** Seconds that the session outlives its connection; 0 ends it with the connection. */
  expirySeconds: number;
  queuedBytes = 0;
  /** Server time (ms since its start) at which the client disconnected; undefined while it is connected. */
  awaySince: number | undefined;
  // Created with their first use: a device that only publishes has none of them.
  #subscriptions: Map<string, SessionSubscription> | undefined;
  #received: Set<number> | undefined;
  #recovered: Set<number> | undefined;
  #receiving: Map<number, CommitGroup> | undefined;
  #queue: QueuedMessage[] | undefined;

  constructor(named: Pick<Session, "key" | "space" | "clientId" | "owner" | "expirySeconds">) {
    this.key = named.key;
    this.space = named.space;
    this.clientId = named.clientId;
    this.owner = named.owner;
    this.expirySeconds = named.expirySeconds;
  }

  get durable(): boolean {
    return this.expirySeconds > 0;
  }

  get hasSubscriptions(): boolean {
    return this.#subscriptions !== undefined && this.#subscriptions.size > 0;
  }

  get hasQueue(): boolean {
    return this.#queue !== undefined && this.#queue.length > 0;
  }

  /** Subscriptions by internal topic filter. */
  get subscriptions(): Map<string, SessionSubscription> {
    this.#subscriptions ??= new Map();
    return this.#subscriptions;
  }

  /** QoS 2 packet identifiers between PUBREC and PUBREL. */
  get received(): Set<number> {
    this.#received ??= new Set();
    return this.#received;
  }

  /** Packet identifiers of `received` that were read from the file. A power cut may have left them behind, so they only count with DUP. */
  get recovered(): Set<number> {
    this.#recovered ??= new Set();
    return this.#recovered;
  }

  /** QoS 2 packet identifiers whose commit is in progress, on this connection or an earlier one. */
  get receiving(): Map<number, CommitGroup> {
    this.#receiving ??= new Map();
    return this.#receiving;
  }

  get queue(): QueuedMessage[] {
    this.#queue ??= [];
    return this.#queue;
  }
}
