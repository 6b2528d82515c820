import type { TCPSocketListener } from "bun";
import { DomainError } from "../lib/domain-error.ts";
import type { DeviceId } from "../lib/ids.ts";
import { invariant } from "../lib/invariant.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { Logger } from "../platform/log.ts";
import {
  assignedClientId,
  connectFault,
  openSession,
  refusalReason,
  sessionExpirySeconds,
  welcome,
} from "./admission.ts";
import { Broker } from "./broker.ts";
import type { BrokerLink } from "./broker-link.ts";
import { Client, type ClientHost } from "./client.ts";
import { Connection, type ConnectionHost, type Counters } from "./connection.ts";
import { Delivery, sendWindowMax } from "./delivery.ts";
import { DeviceMessages } from "./device-messages.ts";
import { IngestLane } from "./ingest-lane.ts";
import type {
  MqttConnectionHandle,
  MqttLimits,
  MqttServer,
  MqttServerDeps,
  MqttStats,
  MqttTransport,
} from "./mqtt.types.ts";
import type { ConnectPacket, Will } from "./packets.ts";
import { Property } from "./properties.ts";
import { PublishIntake } from "./publish-intake.ts";
import { Reason } from "./reason.ts";
import { SessionStore } from "./session-store.ts";
import { listenTcp } from "./tcp-listener.ts";
import { shortForm } from "./topics.ts";
import { Wills } from "./wills.ts";

/** Deadlines (CONNECT, keep-alive, frozen peers, wills, sessions) are looked at this often. */
const tickMs = 250;
/** Commits under way when the server stops may take this long to be acknowledged. */
const stopGraceMs = 2_000;

class Server implements MqttServer, ConnectionHost, ClientHost {
  readonly limits: MqttLimits;
  readonly log: Logger;
  readonly counters: Counters = {
    messagesIn: 0,
    messagesOut: 0,
    messagesDropped: 0,
    bytesIn: 0,
    refusedConnections: 0,
    protocolErrors: 0,
  };
  now = 0;
  readonly #deps: MqttServerDeps;
  readonly #lane: IngestLane;
  readonly #connections = new Set<Connection>();
  /** Remote address → its open connections. */
  readonly #perAddress = new Map<string, number>();
  /** Device → its signed-in client. */
  readonly #clients = new Map<DeviceId, Client>();
  readonly #messages: DeviceMessages;
  readonly #wills: Wills;
  #store: SessionStore | undefined;
  #broker: Broker | undefined;
  #listener: TCPSocketListener<unknown> | undefined;
  #cancelTick: (() => void) | undefined;
  #lastTick = 0;
  #stopping = false;

  constructor(deps: MqttServerDeps) {
    this.#deps = deps;
    this.limits = deps.limits;
    this.log = deps.log;
    this.#lane = new IngestLane(deps.ingest, deps.log);
    this.#messages = new DeviceMessages(deps);
    this.#wills = new Wills((device, will) => this.#messages.will(device, will));
  }

  get port(): number {
    return this.#listener?.port ?? this.#deps.port;
  }

  async start(): Promise<void> {
    const { clock, log, sessionFile, limits, host, port } = this.#deps;
    this.#store = new SessionStore({
      file: sessionFile,
      clock,
      log,
      queuedPerClientMax: limits.queuedPerClientMax,
    });
    this.#broker = new Broker(this.#store);
    await this.#broker.start();
    this.#lastTick = clock.monotonic();
    this.#tickLater();
    try {
      this.#listener = listenTcp({ host, port, accept: (transport) => this.accept(transport) });
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#listener?.stop();
    for (const connection of this.#connections) connection.quiesce();
    await this.#settled();
    for (const connection of this.#connections) connection.end(Reason.serverShuttingDown);
    await this.#gone();
    this.#cancelTick?.();
    await this.#broker?.stop();
    this.#store?.close();
  }

  accept(transport: MqttTransport): MqttConnectionHandle {
    const connection = new Connection(this, transport);
    const { remoteAddress } = transport;
    const fromAddress = (this.#perAddress.get(remoteAddress) ?? 0) + 1;
    this.#perAddress.set(remoteAddress, fromAddress);
    this.#connections.add(connection);
    const { connectionsMax, connectionsPerAddressMax } = this.limits;
    if (this.#stopping || this.#connections.size > connectionsMax || fromAddress > connectionsPerAddressMax) {
      this.counters.refusedConnections++;
      connection.end(Reason.success);
    }
    return connection;
  }

  gone(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    const left = (this.#perAddress.get(connection.remoteAddress) ?? 1) - 1;
    if (left === 0) this.#perAddress.delete(connection.remoteAddress);
    else this.#perAddress.set(connection.remoteAddress, left);
  }

  admit(connection: Connection, packet: ConnectPacket): Client | number {
    const fault = connectFault(packet);
    if (fault !== Reason.success) return fault;
    const authentication = this.#deps.authenticate({
      clientId: packet.clientId,
      username: packet.username,
      password: packet.password,
      remoteAddress: connection.remoteAddress,
    });
    if (!authentication.ok) return refusalReason(authentication);
    return this.#welcome(connection, packet, authentication.device);
  }

  attach(client: Client): BrokerLink {
    invariant(this.#broker !== undefined, "the MQTT server is running");
    const link = this.#broker.attach(client.session, {
      deliver: (message) => client.delivery.deliver(message),
      release: (packetId) => client.delivery.release(packetId),
      lost: () => client.connection.end(Reason.unspecified),
    });
    client.delivery.bind(link);
    return link;
  }

  clientLeft(client: Client, will: Will | undefined): void {
    const { device, session } = client;
    if (this.#clients.get(device.deviceId) === client) this.#clients.delete(device.deviceId);
    session.awaySince = this.now;
    if (session.durable) this.#store?.changed(session);
    else this.#store?.delete(session);
    if (will !== undefined) {
      this.#wills.left(device, will, { now: this.now, sessionExpirySeconds: session.expirySeconds });
    }
    this.#deps.onDisconnected(device);
  }

  async publishToDevice(deviceId: DeviceId, topic: string, payload: Uint8Array, qos: 0 | 1): Promise<void> {
    const broker = this.#broker;
    if (broker === undefined || this.#stopping) {
      throw new DomainError("unavailable", "mqtt.stopped", "The MQTT server is not running.");
    }
    await broker.publish(deviceId, topic, payload, qos);
    const short = shortForm(topic);
    if (short !== undefined) await broker.publish(deviceId, short, payload, qos);
  }

  disconnectDevice(deviceId: DeviceId): void {
    this.#wills.forget(deviceId);
    this.#clients.get(deviceId)?.connection.end(Reason.notAuthorized);
    const session = this.#store?.get(deviceId);
    if (session !== undefined) this.#store?.delete(session);
  }

  stats(): MqttStats {
    const messagesDropped = this.counters.messagesDropped + (this.#store?.dropped ?? 0);
    return {
      connections: this.#clients.size,
      sockets: this.#connections.size,
      ...this.counters,
      messagesDropped,
    };
  }

  #welcome(connection: Connection, packet: ConnectPacket, device: IngestDevice): Client {
    const store = this.#store;
    invariant(store !== undefined, "the MQTT server is running");
    this.#clients.get(device.deviceId)?.connection.end(Reason.sessionTakenOver);
    const named = { ...packet, clientId: packet.clientId === "" ? assignedClientId() : packet.clientId };
    const opened = openSession(
      store,
      device,
      named,
      sessionExpirySeconds(packet, this.limits.sessionExpirySecondsMax),
    );
    this.#wills.returned(device.deviceId, opened.resumed);
    const { output } = connection;
    const { version, properties } = packet;
    const delivery = new Delivery({
      output,
      version,
      counters: this.counters,
      receiveMaximum: Math.min(properties.number(Property.receiveMaximum) ?? sendWindowMax, sendWindowMax),
      packetBytesMax: properties.number(Property.maximumPacketSize) ?? Number.POSITIVE_INFINITY,
      heldMax: this.limits.queuedPerClientMax,
      overflow: () => connection.end(Reason.quotaExceeded),
    });
    const { session } = opened;
    const intake = new PublishIntake({
      lane: this.#lane,
      inFlightMax: this.limits.inFlightMax,
      version,
      device,
      session,
      other: (topic, body) => this.#messages.take(device, topic, body),
      hold: (ms) => new Promise((resolve) => void this.#deps.clock.schedule(ms, resolve)),
      receivedChanged: () => store.saveReceived(session),
      write: (bytes) => output.write(bytes),
      answered: () => connection.answered(),
    });
    const connackBytes = welcome(packet, opened, this.limits);
    const client = new Client({
      host: this,
      connection,
      connect: packet,
      device,
      session,
      intake,
      delivery,
      connack: connackBytes,
    });
    this.#clients.set(device.deviceId, client);
    this.#deps.onConnected(device);
    return client;
  }

  #tickLater(): void {
    this.#cancelTick = this.#deps.clock.schedule(tickMs, () => this.#tick());
  }

  #tick(): void {
    const monotonic = this.#deps.clock.monotonic();
    this.now += Math.min(monotonic - this.#lastTick, 2 * tickMs);
    this.#lastTick = monotonic;
    this.#tickLater();
    for (const connection of this.#connections) connection.tick();
    this.#wills.tick(this.now);
    this.#expireSessions();
  }

  #expireSessions(): void {
    const store = this.#store;
    if (store === undefined) return;
    for (const session of store.all()) {
      const { awaySince, expirySeconds } = session;
      if (awaySince !== undefined && this.now - awaySince > expirySeconds * 1000) store.delete(session);
    }
  }

  /** Waits until every message taken has its commit and its answer, for as long as stopping may take. */
  async #settled(): Promise<void> {
    await this.#until(() => [...this.#clients.values()].every(({ intake }) => intake.idle), stopGraceMs);
  }

  async #gone(): Promise<void> {
    await this.#until(() => this.#connections.size === 0, stopGraceMs);
  }

  async #until(condition: () => boolean, ms: number): Promise<void> {
    const { clock } = this.#deps;
    const deadline = clock.monotonic() + ms;
    while (!condition() && clock.monotonic() < deadline) {
      await new Promise<void>((resolve) => void clock.schedule(5, resolve));
    }
  }
}

/** Nothing is opened before `start()`. */
export const createMqttServer = (deps: MqttServerDeps): MqttServer => new Server(deps);
