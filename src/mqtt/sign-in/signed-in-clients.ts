import type { DeviceId } from "../../lib/core/ids.ts";
import { Reason } from "../../lib/mqtt/reason.ts";
import type { IngestDevice } from "../../modules/ingest/ingest.types.ts";
import type { Client } from "../broker/client.ts";
import { SessionCounts } from "../session/session-counts.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Principal } from "../topics/principal.ts";

interface ClientKey {
  readonly key: string;
  readonly clientId: string;
}

/** Signed-in clients by session: one per device, unless its profile allows more, and any number per application. */
export class Clients {
  /** Clients by session key. The key of the only session of a device is the id of the device. */
  readonly #byKey = new Map<string, Client>();
  /** Clients whose keys are not the id of their device, oldest first: only for devices with several sessions. */
  readonly #more = new Map<string, Set<Client>>();
  readonly counts = new SessionCounts();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Client | undefined {
    return this.#byKey.get(key);
  }

  all(): IterableIterator<Client> {
    return this.#byKey.values();
  }

  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }

  ofDevice(deviceId: DeviceId): Client[] {
    const only = this.#byKey.get(deviceId);
    const more = this.#more.get(deviceId);
    if (more === undefined) return only === undefined ? [] : [only];
    return only === undefined ? [...more] : [only, ...more];
  }

  add(client: Client): void {
    const { key, space, owner } = client.session;
    this.#byKey.set(key, client);
    this.counts.add(owner);
    if (client.principal.device === undefined || key === space) return;
    const more = this.#more.get(space) ?? new Set();
    this.#more.set(space, more);
    more.add(client);
  }

  delete(client: Client): void {
    const { key, space, owner } = client.session;
    if (this.#byKey.get(key) === client) this.#byKey.delete(key);
    this.counts.remove(owner);
    const more = this.#more.get(space);
    if (more?.delete(client) === true && more.size === 0) this.#more.delete(space);
  }

  /** Returns whether a client of the device accepts commands on one of the topics. */
  takesCommands(deviceId: DeviceId, topics: ReadonlyArray<string | undefined>): boolean {
    const takes = (client: Client) =>
      topics.some((topic) => topic !== undefined && client.takesCommands(topic));
    return this.ofDevice(deviceId).some(takes);
  }

  /** Returns whether a client of the device has subscribed to one of the topics. */
  isListening(deviceId: DeviceId, topics: ReadonlyArray<string | undefined>): boolean {
    const isSubscribed = (client: Client) =>
      topics.some((topic) => topic !== undefined && client.listensTo(topic));
    return this.ofDevice(deviceId).some(isSubscribed);
  }

  /** Returns whether a new client would replace another one of the device, see `makeRoom`. */
  replacesClient({ device }: Principal, key: string): boolean {
    if (this.#byKey.has(key)) return true;
    return device !== undefined && this.ofDevice(device.deviceId).length >= (device.sessionsMax ?? 1);
  }

  /**
   * Disconnects the clients that a new client replaces: the client with the same session and, for a device, the client with the same client id and
   * the oldest clients beyond its profile's limit. Returns whether any client was disconnected.
   */
  endReplaced(store: SessionStore, { device }: Principal, clientKey: ClientKey): boolean {
    const { size } = this.#byKey;
    this.#byKey.get(clientKey.key)?.connection.end(Reason.sessionTakenOver);
    if (device !== undefined) this.#endOthers(store, device, clientKey);
    return this.#byKey.size < size;
  }

  #endOthers(store: SessionStore, device: IngestDevice, clientKey: ClientKey): void {
    const { clientId } = clientKey;
    const others = this.ofDevice(device.deviceId);
    let left = others.length;
    for (const other of others) {
      if (left < (device.sessionsMax ?? 1) && other.session.clientId !== clientId) continue;
      other.connection.end(Reason.sessionTakenOver);
      left--;
    }
    this.#dropSessions(store, device, clientKey);
  }

  /** Keeps at most as many sessions of a device as it may have connections. Drops the sessions that have been disconnected longest. */
  #dropSessions(store: SessionStore, device: IngestDevice, { key, clientId }: ClientKey): void {
    const others = [...store.inSpace(device.deviceId)].filter((session) => session.key !== key);
    if (others.length === 0) return;
    const here = Number.POSITIVE_INFINITY;
    others.sort((a, b) => (a.awaySince ?? here) - (b.awaySince ?? here));
    let left = others.length;
    for (const other of others) {
      if (left < (device.sessionsMax ?? 1) && other.clientId !== clientId) continue;
      store.delete(other);
      left--;
    }
  }
}
