import { DomainError, detail } from "../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../lib/core/ids.ts";
import { invariant } from "../lib/core/invariant.ts";
import type { ConnectPacket, Will } from "../lib/mqtt/packets.ts";
import { noProperties } from "../lib/mqtt/properties.ts";
import { type ProtocolError, Reason } from "../lib/mqtt/reason.ts";
import { addressGroup } from "../lib/network/network-address.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { Logger } from "../platform/core/log.ts";
import type { Stamp } from "../platform/database/database-stamp.ts";
import type { Clock } from "../platform/time/clock.ts";
import { Broker } from "./broker/broker.ts";
import { keepingMatch } from "./broker/broker-persistence.ts";
import type { Client, ClientHost } from "./broker/client.ts";
import { ClientFactory } from "./broker/client-factory.ts";
import type { ClientLink } from "./broker/client-link.types.ts";
import { Evictions } from "./broker/evictions.ts";
import { PublishDelays } from "./broker/publish-delays.ts";
import { Wills } from "./broker/wills.ts";
import {
  assignedClientId,
  connectFault,
  openSession,
  refusalReason,
  sessionExpirySeconds,
} from "./connection/admission.ts";
import { CommitGroups } from "./connection/commit-groups.ts";
import { Connection, type ConnectionHost } from "./connection/connection.ts";
import { ConnectionFaults } from "./connection/connection-faults.ts";
import { ConnectionTurns } from "./connection/connection-turns.ts";
import { noCounts } from "./connection/counters.ts";
import { IncomingMessages } from "./connection/incoming-messages.ts";
import { Listeners } from "./connection/listeners.ts";
import { WrittenOutputs } from "./connection/output.ts";
import { ReaderPool } from "./connection/reader-pool.ts";
import type {
  MqttAuthentication,
  MqttConnectionHandle,
  MqttHandlers,
  MqttLimits,
  MqttServer,
  MqttServerDeps,
  MqttStats,
  MqttTransport,
  MqttUsage,
  TlsPair,
} from "./mqtt.types.ts";
import type { Session } from "./session/session.ts";
import type { RetainedMessage } from "./session/session-file.ts";
import { SessionLimits } from "./session/session-limits.ts";
import { openSessionStore, type SessionStore } from "./session/session-store.ts";
import { Clients } from "./sign-in/signed-in-clients.ts";
import { Applications, type Publish } from "./topics/applications.ts";
import { type Principal, principalOf, tenantSpace } from "./topics/principal.ts";
import { ServerTime, TICK_MS } from "./topics/server-time.ts";
import { longForm, shortForm, toBroker } from "./topics/topics.ts";

/** Counts connections, in total and by remote address (IPv6: by /64 network). */
export class ConnectionLimits {
  readonly #limits: MqttLimits;
  /** Open connections by remote address. */
  readonly #perAddress = new Map<string, number>();
  #all = 0;

  constructor(limits: MqttLimits) {
    this.#limits = limits;
  }

  /** Counts a connection. Returns false at a limit. In either case, it must `leave`. */
  enter(address: string): boolean {
    const group = addressGroup(address);
    const fromAddress = (this.#perAddress.get(group) ?? 0) + 1;
    this.#perAddress.set(group, fromAddress);
    this.#all++;
    return this.#all <= this.#limits.connectionsMax && fromAddress <= this.#limits.connectionsPerAddressMax;
  }

  leave(address: string): void {
    const group = addressGroup(address);
    const left = (this.#perAddress.get(group) ?? 1) - 1;
    if (left === 0) this.#perAddress.delete(group);
    else this.#perAddress.set(group, left);
    this.#all--;
  }
}

/**
 * Max. TLS connections of an address whose client has not signed in. Each may have received records of one byte, which take the event loop 0.2 ms
 * together.
 */
export const TLS_STRANGERS_MAX = 256;

/** TLS connections whose client has not signed in, by remote address (IPv6: by /64 network). */
class TlsStrangers {
  readonly #perAddress = new Map<string, Set<Connection>>();

  /** Adds a connection. Returns the oldest of its address beyond the limit, because a client signs in soon. */
  add(connection: Connection): Connection | undefined {
    const group = addressGroup(connection.remoteAddress);
    const strangers = this.#perAddress.get(group) ?? new Set();
    this.#perAddress.set(group, strangers.add(connection));
    const [oldest] = strangers;
    return strangers.size > TLS_STRANGERS_MAX ? oldest : undefined;
  }

  delete(connection: Connection): void {
    const group = addressGroup(connection.remoteAddress);
    const strangers = this.#perAddress.get(group);
    if (strangers?.delete(connection) === true && strangers.size === 0) this.#perAddress.delete(group);
  }
}

/** Max. time for acknowledging commits in progress when the server stops, in ms. */
const STOP_GRACE_MS = 2_000;

/** Waits for `condition` within the grace time of a stop. */
async function waitUntil(condition: () => boolean, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + STOP_GRACE_MS;
  while (!condition() && clock.monotonic() < deadline) {
    await new Promise<void>((resolve) => void clock.schedule(5, resolve));
  }
}

class Server implements MqttServer, ConnectionHost, ClientHost {
  readonly limits: MqttLimits;
  readonly log: Logger;
  readonly counters = noCounts();
  readonly connectionTurns: ConnectionTurns;
  readonly readers = new ReaderPool();
  readonly written = new WrittenOutputs();
  readonly #time: ServerTime;
  readonly #deps: MqttServerDeps;
  #connected: MqttHandlers | undefined;
  readonly #groups: CommitGroups;
  readonly #connections = new Set<Connection>();
  readonly #connectionLimits: ConnectionLimits;
  readonly #strangers = new TlsStrangers();
  readonly #clients = new Clients();
  readonly #sessionLimits: SessionLimits;
  readonly #publish: Publish = async (space, message) => {
    if (this.#broker === undefined || this.#stopping)
      throw new DomainError("unavailable", detail("mqtt.stopped"));
    await this.#broker.publish(space, { ...message, properties: noProperties, from: undefined });
  };
  readonly applications = new Applications(this.#publish, () => this.#store);
  readonly #messages: IncomingMessages;
  readonly #wills: Wills;
  readonly #faults: ConnectionFaults;
  readonly #evictions: Evictions;
  #store: SessionStore | undefined;
  #broker: Broker | undefined;
  #factory: ClientFactory | undefined;
  readonly #listeners: Listeners;
  #stopping = false;

  constructor(deps: MqttServerDeps) {
    this.#deps = deps;
    this.limits = deps.limits;
    this.connectionTurns = new ConnectionTurns(deps.clock);
    this.#time = new ServerTime(deps.clock, () => this.#connections.size === 0);
    this.#connectionLimits = new ConnectionLimits(deps.limits);
    this.log = deps.log;
    this.#faults = new ConnectionFaults({ ...deps, report: (...fault) => this.#handlers.report?.(...fault) });
    this.#sessionLimits = new SessionLimits(deps, this.#clients);
    this.#listeners = new Listeners(deps);
    this.#groups = new CommitGroups(deps.log);
    const { ingest, log } = deps;
    this.#messages = new IncomingMessages({
      ingest,
      log,
      delays: new PublishDelays(deps.clock),
      onPublished: (...message) => this.#handlers.onPublished?.(...message),
      onForbidden: (principal, { topic, payload }) => this.#faults.forbidden(principal, topic, payload),
      broker: () => this.#running().broker,
      onMessage: (...message) => this.#handlers.onMessage?.(...message),
    });
    this.#wills = new Wills(this.connectionTurns, (principal, will) => this.#messages.will(principal, will));
    this.#evictions = new Evictions(this.#clients, this.#wills, () => this.#store);
  }

  handle(handlers: MqttHandlers): void {
    invariant(this.#connected === undefined, "the handlers of the MQTT server are connected once");
    this.#connected = handlers;
  }

  get #handlers(): MqttHandlers {
    invariant(this.#connected !== undefined, "the handlers of the MQTT server are connected");
    return this.#connected;
  }

  get now(): number {
    return this.#time.now;
  }

  async stampSessions(stamp: Stamp): Promise<void> {
    this.#store?.stamp(stamp);
  }

  get port(): number | undefined {
    return this.#listeners.port;
  }

  get tlsPort(): number | undefined {
    return this.#listeners.tlsPort;
  }

  renewCertificate(pair: TlsPair): void {
    this.#listeners.renew(pair);
  }

  async start(): Promise<void> {
    this.#store = openSessionStore(
      { ...this.#deps, onSessionEnded: (deviceId) => this.#handlers.onSessionEnded?.(deviceId) },
      (...loss) => this.#faults.dropped(...loss),
    );
    const { clock, ingest } = this.#deps;
    this.#broker = new Broker(this.#store, clock, this.log);
    this.#factory = new ClientFactory({
      host: this,
      store: this.#store,
      clock,
      ingest,
      groups: this.#groups,
      messages: this.#messages,
    });
    await this.#broker.start();
    this.applications.start();
    this.#time.start(() => this.#tick());
    try {
      this.#listeners.start((transport) => this.accept(transport));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#listeners.stop();
    for (const connection of this.#connections) connection.quiesce();
    // Every accepted message is committed and acknowledged, within the time limit of stopping.
    await waitUntil(() => [...this.#clients.all()].every(({ intake }) => intake.idle), this.#deps.clock);
    for (const connection of this.#connections) connection.end(Reason.serverShuttingDown);
    await waitUntil(() => this.#connections.size === 0 && this.#wills.isIdle, this.#deps.clock);
    this.#time.stop();
    await this.#broker?.stop();
    this.#store?.close();
  }

  accept(transport: MqttTransport): MqttConnectionHandle {
    this.#time.wake();
    const connection = new Connection(this, transport);
    this.#connections.add(connection);
    const welcome = this.#connectionLimits.enter(transport.remoteAddress);
    if (this.#stopping || !welcome) {
      this.counters.refusedConnections++;
      if (!this.#stopping) this.#faults.limited(connection.peer);
      connection.end(Reason.success);
    }
    if (transport.protocol === "mqtts") this.#meet(connection);
    return connection;
  }

  #meet(connection: Connection): void {
    const left = this.#strangers.add(connection);
    if (left === undefined) return;
    this.#strangers.delete(left);
    this.counters.refusedConnections++;
    this.#faults.limited(left.peer);
    left.abort();
  }

  gone(connection: Connection): void {
    this.#strangers.delete(connection);
    if (this.#connections.delete(connection)) this.#connectionLimits.leave(connection.remoteAddress);
  }

  broken({ peer, client }: Connection, error: ProtocolError): void {
    this.#faults.broken({ ...peer, client: client?.session.clientId }, client?.principal, error);
  }

  unsupported({ peer }: Connection, level: number): void {
    this.#faults.unsupported(peer, level);
  }

  admit(connection: Connection, packet: ConnectPacket): Client | number | Promise<Client | number> {
    const fault = connectFault(packet);
    if (fault !== Reason.success) return fault;
    const authentication = this.#handlers.authenticate({
      clientId: packet.clientId,
      username: packet.username,
      password: packet.password,
      remoteAddress: connection.remoteAddress,
      protocol: connection.peer.protocol,
      certificate: connection.certificate,
      isGone: () => connection.ended,
    });
    if (authentication instanceof Promise)
      return authentication.then((late) => this.#admitAuthenticated(connection, packet, late));
    return this.#admitAuthenticated(connection, packet, authentication);
  }

  #admitAuthenticated(
    connection: Connection,
    packet: ConnectPacket,
    authentication: MqttAuthentication,
  ): Client | number {
    if (connection.ended || this.#stopping) return Reason.serverShuttingDown;
    if (!authentication.ok) return refusalReason(authentication);
    const client = this.#createClient(connection, packet, principalOf(authentication));
    if (typeof client !== "number") this.#strangers.delete(connection);
    return client;
  }

  attach(client: Client): ClientLink {
    const link = this.#running().broker.attach(client.session, {
      deliver: (message) => client.delivery.deliver(message),
      release: (packetId) => client.delivery.release(packetId),
      lost: () => client.connection.end(Reason.unspecified),
      isCongested: () => client.connection.output.congested,
      hasRoom: () => client.delivery.hasRoom,
    });
    client.delivery.bind(link);
    return link;
  }

  clientLeft(client: Client, will: Will | undefined): void {
    const { principal, session } = client;
    this.#clients.delete(client);
    session.awaySince = this.now;
    if (session.durable) this.#store?.changed(session);
    else this.#store?.delete(session);
    if (will !== undefined) this.#wills.left(session, { principal, will }, this.now);
    try {
      if (principal.device !== undefined) this.#handlers.onDisconnected?.(principal.device);
      else this.applications.changed(client, false);
    } catch (error) {
      // The connection reads its state from the database, and ends when the server stops.
      this.log.error("the end of an MQTT connection could not be noted", { error });
    }
  }

  retained(space: string, filter: string): Iterable<RetainedMessage> {
    return this.#running().broker.retained(space, filter);
  }

  async publishToDevice(deviceId: DeviceId, topic: string, payload: Uint8Array, qos: 0 | 1): Promise<void> {
    const isKept = this.hasDurableSession(deviceId);
    // Publishing through the broker is expensive, so formats without subscribers are skipped.
    for (const name of [topic, shortForm(topic)])
      if (name !== undefined && (isKept || this.#clients.isListening(deviceId, [name])))
        await this.#publish(deviceId, { topic: name, payload, qos, retain: false });
  }

  isListening(deviceId: DeviceId, topic: string): boolean {
    return this.#clients.takesCommands(deviceId, [topic, shortForm(topic)]);
  }

  subscriptionRoom({ session, principal }: Client): (filter: string) => boolean {
    if (principal.application === undefined) return () => true;
    return this.#running().store.subscriptions.room(session.owner);
  }

  subscriptionsLimited({ session, principal, connection }: Client, count: number): void {
    this.#running().store.subscriptions.countRefused(principal.owner, count);
    const peer = { ...connection.peer, client: session.clientId };
    this.#faults.subscriptionsLimited(principal, peer);
  }

  subscriptionForbidden({ session, principal }: Client, filter: string): void {
    this.#faults.forbiddenFilter(principal, filter, session.clientId);
  }

  hasDurableSession(deviceId: DeviceId): boolean {
    return [...(this.#store?.inSpace(deviceId) ?? [])].some(({ durable }) => durable);
  }

  keepsMessages(deviceId: DeviceId, topic: string): boolean {
    const topics = [topic, shortForm(topic)].flatMap((name) =>
      name === undefined ? [] : toBroker(deviceId, name),
    );
    const keeps = (session: Session) =>
      session.durable && topics.some((name) => keepingMatch(session, name) !== undefined);
    return [...(this.#store?.inSpace(deviceId) ?? [])].some(keeps);
  }

  subscribed(client: Client): void {
    if (client.principal.device !== undefined) this.#handlers.onSubscribed?.(client.principal.device);
    else this.applications.changed(client, true);
  }

  unsubscribed(client: Client): void {
    this.applications.changed(client, true);
  }

  async greet(client: Client, filter: string): Promise<void> {
    const { application } = client.principal;
    if (application !== undefined)
      await this.#handlers.onApplicationSubscribed?.(application, filter, client);
  }

  delivered(device: IngestDevice, topic: string, payload: Uint8Array): void {
    this.#handlers.onDelivered?.(device, longForm(topic), payload);
  }

  disconnectDevice(deviceId: DeviceId): void {
    this.#evictions.device(deviceId);
  }

  disconnectApplication(applicationId: string): void {
    this.#evictions.application(applicationId);
  }

  applicationCredentials(): readonly string[] {
    return this.#store?.applicationSessions.credentials() ?? [];
  }

  connectionsOf(credentialId: string): number {
    return this.#clients.counts.ofCredential(credentialId);
  }

  forgetTenant(tenantId: TenantId): void {
    this.#store?.clearRetained(tenantSpace(tenantId));
    this.#evictions.applicationsOf(tenantId);
  }

  stats(): MqttStats {
    return {
      connections: this.#clients.size,
      sockets: this.#connections.size,
      ...this.counters,
      messagesDropped: this.#store?.dropped ?? 0,
    };
  }

  usageOf(tenantId: string): MqttUsage {
    return {
      connections: this.#clients.counts.ofTenant(tenantId),
      refused: this.#sessionLimits.refusedOf(tenantId),
      ...(this.#store?.usageOf(tenantId) ?? noUsage),
    };
  }

  #running(): { readonly broker: Broker; readonly store: SessionStore; readonly factory: ClientFactory } {
    const broker = this.#broker;
    const store = this.#store;
    const factory = this.#factory;
    invariant(
      broker !== undefined && store !== undefined && factory !== undefined,
      "the MQTT server is running",
    );
    return { broker, store, factory };
  }

  #createClient(connection: Connection, packet: ConnectPacket, principal: Principal): Client | number {
    const { store, factory } = this.#running();
    const named = { ...packet, clientId: packet.clientId === "" ? assignedClientId() : packet.clientId };
    const key = principal.sessionKey(named.clientId);
    const clientKey = { key, clientId: named.clientId };
    const expirySecondsMax = principal.isEphemeral ? 0 : this.limits.sessionExpirySecondsMax;
    const expirySeconds = sessionExpirySeconds(packet, expirySecondsMax);
    const hit = this.#sessionLimits.hitBy(store, principal, { ...clientKey, isDurable: expirySeconds > 0 });
    if (hit !== undefined) {
      this.#faults.exceeded(principal, named.clientId, hit);
      this.#faults.limited({ ...connection.peer, client: named.clientId }, principal);
      return Reason.quotaExceeded;
    }
    if (this.#clients.endReplaced(store, principal, clientKey)) this.#faults.takenOver(principal, clientKey);
    const opened = openSession(store, principal, named, expirySeconds);
    this.#wills.returned(key, opened.resumed);
    const client = factory.create({ connection, packet, principal, opened });
    this.#clients.add(client);
    if (principal.device !== undefined) this.#handlers.onConnected?.(principal.device);
    return client;
  }

  #tick(): void {
    for (const connection of this.#connections) connection.tick();
    this.#wills.tick(this.now);
    this.#store?.expire(this.now, TICK_MS, () => this.connectionTurns.isTurnOver);
  }
}

const noUsage = { sessions: 0, subscriptions: 0, subscriptionsRefused: 0, queuedBytes: 0, dropped: 0 };

/** Creates the server, which opens no socket before `start()`. */
export const createMqttServer = (deps: MqttServerDeps): MqttServer => new Server(deps);
