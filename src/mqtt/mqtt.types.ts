import type { DeviceId, TenantId } from "../lib/core/ids.ts";
import type { RateMeter } from "../lib/data/rate-meter.ts";
import type { Text } from "../lib/texts/text.ts";
import type { Fault } from "../modules/faults/faults.types.ts";
import type { DeviceIngest, IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { Peer } from "../modules/request-peer.ts";
import type { Principal as Caller } from "../modules/users/users.types.ts";
import type { Logger } from "../platform/core/log.ts";
import type { Stamp } from "../platform/database/database-stamp.ts";
import type { Clock } from "../platform/time/clock.ts";

export interface MqttCredentials {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Uint8Array | undefined;
  readonly remoteAddress: string;
  readonly protocol: Peer["protocol"];
  /** Certificate of the client. The TLS handshake has proven that the client holds its key, but no authority has been checked. */
  readonly certificate: PeerCertificate | undefined;
  /** The client went while it waited for its answer. */
  isGone(): boolean;
}

export interface PeerCertificate {
  /** SHA-256, 64 lower-case hexadecimal digits. */
  readonly fingerprint: string;
  /** Epoch ms. */
  readonly validTo: number;
}

/** `bad_credentials` → CONNACK 4 / 0x86, `not_authorized` → 5 / 0x87, `unavailable` → 3 / 0x88, `later` → 3 / 0x9f. */
export type MqttAuthentication =
  | { readonly ok: true; readonly application: MqttApplication }
  | { readonly ok: true; readonly device: IngestDevice }
  | { readonly ok: true; readonly provisioningSession: MqttProvisioningSession }
  | { readonly ok: false; readonly reason: "bad_credentials" | "not_authorized" | "unavailable" | "later" };

/** A program of a tenant (Node-RED, SCADA, a script), or an MQTT client with topics of its own; its topics are its tenant's. */
export interface MqttApplication {
  /** Id of the API key or the MQTT client. Sessions belong to it and the client id. */
  readonly applicationId: string;
  readonly tenantId: TenantId;
  /** User or key whose devices the application can see; without it, all devices of the tenant. */
  readonly caller?: Caller;
  /** The key is no longer valid: the session ends with its next publish, or by `disconnectApplication`. */
  readonly revoked: boolean;
  /** The MQTT client was changed or deleted since it signed in: what still waits of it is dropped. */
  readonly isReplaced?: boolean;
  maySubscribe(filter: string): boolean;
  mayPublish(topic: string): boolean;
  /** Rate at which it may publish; `undefined` without a limit. */
  readonly limiter?: RateMeter | undefined;
}

export interface PublishedMessage {
  readonly topic: string;
  /** Valid only during the call. */
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

/** Sends one message to one client, as if it had been retained; `later`: it was not taken, the client reads slowly. */
export type SendState = (topic: string, payload: Uint8Array) => "sent" | "later" | "gone";

/** A device without credentials yet: it may ask for some, on `/provision/request`, and nothing else. */
export interface MqttProvisioningSession {
  /** Returns the response on `/provision/response`; throws a DomainError to refuse. */
  claim(body: Uint8Array): Promise<Uint8Array>;
}

export interface MqttLimits {
  readonly packetBytesMax: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly connectTimeoutMs: number;
  /** Messages of one connection that wait for their commit before its socket is read no further. */
  readonly inFlightMax: number;
  readonly queuedPerClientMax: number;
  readonly sessionExpirySecondsMax: number;
  readonly connectionsPerKeyMax: number;
  /** Sessions that outlive their connections. */
  readonly sessionsPerKeyMax: number;
  /** Limit for all clients of one device or API key together. */
  readonly queuedBytesPerCredentialMax: number;
  readonly queuedBytesMax: number;
  /** MQTT 5 clients that ask for a longer keep-alive, or none, are told this one; absent: as they ask. */
  readonly keepAliveSecondsMax?: number;
}

/** Limits that the clients of a tenant share; null for no limit. */
export interface MqttQuotas {
  readonly connections: number | null;
  /** Sessions of applications that outlive their connections. */
  readonly sessions: number | null;
  readonly queuedBytes: number | null;
}

export interface MqttUsage {
  readonly connections: number;
  readonly sessions: number;
  /** Subscriptions of applications, and subscriptions refused because of a limit since the start. */
  readonly subscriptions: number;
  readonly subscriptionsRefused: number;
  readonly queuedBytes: number;
  /** Connections refused for a limit, and messages dropped for whatever reason, since the start. */
  readonly refused: number;
  readonly dropped: number;
}

/** Certificate chain and key, in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** Dependencies of the MQTT server. */
export interface MqttServerDeps {
  readonly host: string;
  /** 0 picks a free port; undefined for none without TLS. */
  readonly port: number | undefined;
  /** A second port that speaks TLS, with the certificate that is current when it is opened. */
  readonly tls?: { readonly host?: string | undefined; readonly port: number; pair(): TlsPair } | undefined;
  readonly limits: MqttLimits;
  quotasOf(tenantId: string): MqttQuotas;
  readonly clock: Clock;
  readonly log: Logger;
  /** SQLite file of broker sessions and queued messages. */
  readonly sessionFile: string;
  /** Called with a description of the loss if the session file is damaged. */
  onLoss?(text: Text): void;
  readonly ingest: DeviceIngest;
  /** A promise only where the answer takes time; the client is held meanwhile, and nobody else. */
  authenticate(credentials: MqttCredentials): MqttAuthentication | Promise<MqttAuthentication>;
  /**
   * A device's message on a topic other than telemetry and attributes, in its long form (`v1/devices/me/rpc/response/7`).
   * The sender is acknowledged once the promise resolves. `undefined`: no such topic (the server lists and refuses it);
   * a thrown or rejected DomainError refuses the message.
   */
  onMessage?(device: IngestDevice, topic: string, body: Uint8Array): Promise<void> | undefined;
  /**
   * An application has published on a topic of its tenant. What is returned is waited for before the acknowledgement; a rejection leaves
   * the message unacknowledged.
   */
  onPublished?(tenantId: TenantId, message: PublishedMessage): Promise<void> | undefined;
  /** Something went wrong on a connection; `applicationId` is set if it is about an API key or an MQTT client. */
  report?(fault: Fault, applicationId?: string | undefined): void;
  /** Called for every connection: a device may have several. */
  onConnected(device: IngestDevice): void;
  onDisconnected(device: IngestDevice): void;
  /** Called when a session of the device that outlived its connection has ended, with everything that it kept. */
  onSessionEnded?(deviceId: DeviceId): void;
  /** The device has subscriptions now: new ones, or those of a session that it came back to. */
  onSubscribed?(device: IngestDevice): void;
  /** An application has a new subscription: `send` gives it what holds now, and says whether it can take more. */
  onApplicationSubscribed?(application: MqttApplication, filter: string, send: SendState): void;
  /** The device has acknowledged a command: a message on `v1/devices/me/rpc/request/{id}` in its long form, or for a child. */
  onDelivered?(device: IngestDevice, topic: string, payload: Uint8Array): void;
}

/** A byte stream that is not a TCP socket: what the HTTP server's WebSocket `/mqtt` hands over. */
export interface MqttTransport {
  readonly remoteAddress: string;
  /** How the client is connected; `mqtt` unless given. */
  readonly protocol?: Peer["protocol"];
  /** Certificate of the client, once the TLS handshake is done; `undefined` without one. */
  readonly certificate?: PeerCertificate | undefined;
  /** Returns false when the peer reads too slowly; `drain` is called on the connection when it has caught up. */
  write(bytes: Uint8Array): boolean;
  /**
   * Closes once what was written is out. `linger`: the peer may still be sending, and must get our last bytes all the same.
   * A second call cuts off a peer that does not go.
   */
  close(linger: boolean): void;
  pause(): void;
  resume(): void;
}

/** One connection's incoming side, given back by `accept`. */
export interface MqttConnectionHandle {
  data(bytes: Uint8Array): void;
  drain(): void;
  closed(): void;
}

/** Messages to the programs of tenants. */
export interface ApplicationMessages {
  /** True if no program listens, so that nothing need be prepared. */
  readonly idle: boolean;
  /** Programs whose keys are no longer good, or no longer see what they saw when they connected. */
  revoked(): Iterable<string>;
  /** Sends to all programs of the tenant that may see every device. */
  publish(
    tenantId: TenantId,
    topic: string,
    payload: Uint8Array,
    options: { readonly qos: 0 | 1; readonly retain: boolean },
  ): Promise<void>;
  /** Retained messages of the tenant. */
  retained(tenantId: TenantId, filter: string): readonly Omit<PublishedMessage, "retain">[];
  /** Sends to the programs that listen to this of the device; `payload` is made once, and only if there is one. */
  publishToSubscribers(
    device: { readonly tenantId: TenantId; readonly deviceId: DeviceId },
    topic: string,
    payload: () => Uint8Array,
  ): Promise<void>;
}

export interface MqttServer {
  start(): Promise<void>;
  /** Sends what is committed, refuses the rest, closes every connection; resolves when all are gone. */
  stop(): Promise<void>;
  /** Stamps the session file with its data directory and generation. Resolves once the stamp is on the disk. */
  stampSessions(stamp: Stamp): Promise<void>;
  readonly port: number | undefined;
  /** Port of TLS; `undefined` without TLS. */
  readonly tlsPort: number | undefined;
  /** Uses another certificate for new connections. */
  renewCertificate(pair: TlsPair): void;
  accept(transport: MqttTransport): MqttConnectionHandle;
  /** Publishes to one device on its own topic (`v1/devices/me/attributes` …); queued for a durable session that is away. */
  publishToDevice(deviceId: DeviceId, topic: string, payload: Uint8Array, qos: 0 | 1): Promise<void>;
  /** Subscriptions of the tenants' applications (`lineside/devices/{deviceId}/telemetry` …). */
  readonly applications: ApplicationMessages;
  /** Ends an application's connections and sessions: its key was removed. */
  disconnectApplication(applicationId: string): void;
  /** Returns the MQTT clients and API keys that have durable sessions, by id. */
  applicationCredentials(): readonly string[];
  /**
   * Returns whether the device is connected and subscribed to the topic of commands, in its long or its short form, and has been sent what its session
   * has kept.
   */
  isListening(deviceId: DeviceId, topic: string): boolean;
  /** Returns whether the device has a session that outlives its connections. */
  hasDurableSession(deviceId: DeviceId): boolean;
  /** Returns whether such a session keeps messages on the topic and sends them again until they are acknowledged. It keeps none of QoS 0. */
  keepsMessages(deviceId: DeviceId, topic: string): boolean;
  /** Ends the device's connections: deleted, credentials rotated. */
  disconnectDevice(deviceId: DeviceId): void;
  /** Open connections of a device, an API key or an MQTT client. */
  connectionsOf(credentialId: string): number;
  /** Deletes the retained messages of a deleted tenant. */
  forgetTenant(tenantId: TenantId): void;
  stats(): MqttStats;
  usageOf(tenantId: string): MqttUsage;
}

export interface MqttStats {
  /** Signed-in clients. */
  readonly connections: number;
  /** Open sockets, signed in or not. */
  readonly sockets: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  /** Messages to clients that were dropped for whatever reason. */
  readonly messagesDropped: number;
  readonly bytesIn: number;
  readonly refusedConnections: number;
  readonly protocolErrors: number;
}
