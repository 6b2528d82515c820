import type { DeviceId, TenantId } from "../lib/core/ids.ts";
import type { RateMeter } from "../lib/data/rate-meter.ts";
import type { Text } from "../lib/texts/text.ts";
import type { Peer } from "../modules/api/request-peer.ts";
import type { Fault } from "../modules/faults/faults.types.ts";
import type { DeviceIngest, IngestDevice } from "../modules/ingest/ingest.types.ts";
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
  /** Certificate of the client. The TLS handshake has proven that the client holds its key, but its authority is not checked. */
  readonly certificate: PeerCertificate | undefined;
  /** Returns whether the client has disconnected while it waited. */
  isGone(): boolean;
}

export interface PeerCertificate {
  /** SHA-256 as 64 lower-case hexadecimal digits. */
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

/** A program of a tenant (Node-RED, SCADA, a script), or an MQTT client with topics of its own, which belong to its tenant. */
export interface MqttApplication {
  /** Id of the API key or the MQTT client. A session is identified by it and the client id. */
  readonly applicationId: string;
  readonly tenantId: TenantId;
  /** User or key whose devices the application can see; undefined for all devices of the tenant. */
  readonly caller?: Caller;
  /** True if the key is no longer valid. The session ends with its next publish, or by `disconnectApplication`. */
  readonly revoked: boolean;
  /** True if the MQTT client was changed or deleted since its sign-in, so that its waiting messages are dropped. */
  readonly isReplaced?: boolean;
  maySubscribe(filter: string): boolean;
  mayPublish(topic: string): boolean;
  /** Limiter of its publishing rate; undefined for no limit. */
  readonly limiter?: RateMeter | undefined;
}

export interface PublishedMessage {
  readonly topic: string;
  /** Valid only during the call. */
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

/** One client that gets the current state, like retained messages. */
export interface StateReceiver {
  /** `later` if the client reads too slowly to accept a message now. */
  readonly readiness: "ready" | "later" | "gone";
  send(topic: string, payload: Uint8Array): void;
}

/** A device without credentials, which can only request some on `/provision/request`. */
export interface MqttProvisioningSession {
  /** Returns the response on `/provision/response`. @throws DomainError to refuse */
  claim(body: Uint8Array): Promise<Uint8Array>;
}

export interface MqttLimits {
  readonly packetBytesMax: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly connectTimeoutMs: number;
  /** Max. messages of one connection that wait for their commit before its socket is paused. */
  readonly inFlightMax: number;
  readonly queuedPerClientMax: number;
  readonly sessionExpirySecondsMax: number;
  readonly connectionsPerKeyMax: number;
  /** Max. sessions that outlive their connections. */
  readonly sessionsPerKeyMax: number;
  /** Limit shared by all clients of one device or API key. */
  readonly queuedBytesPerCredentialMax: number;
  readonly queuedBytesMax: number;
  /** Keep-alive imposed on MQTT 5 clients that request a longer one or none; undefined to accept any. */
  readonly keepAliveSecondsMax?: number;
}

/** Limits shared by the clients of a tenant; null for no limit. */
export interface MqttQuotas {
  readonly connections: number | null;
  /** Max. sessions of applications that outlive their connections. */
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
  /** Connections refused because of a limit, and messages dropped for any reason, since the start. */
  readonly refused: number;
  readonly dropped: number;
}

/** Certificate chain and key in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** Dependencies of the MQTT server. */
export interface MqttServerDeps {
  readonly host: string;
  /** 0 for a free port; undefined for none without TLS. */
  readonly port: number | undefined;
  /** TLS port, which uses the certificate at the time it is opened. */
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
}

/** What happens with clients and their messages. */
export interface MqttHandlers {
  /** Returns a promise only if the result takes time. Only this client waits for it. */
  authenticate(credentials: MqttCredentials): MqttAuthentication | Promise<MqttAuthentication>;
  /**
   * Handles a message of a device on a topic other than telemetry and attributes, in its long form (`v1/devices/me/rpc/response/7`). The sender is
   * acknowledged once the promise resolves. Undefined for an unknown topic, which the server lists and refuses. A thrown or rejected DomainError
   * refuses the message.
   */
  onMessage?(device: IngestDevice, topic: string, body: Uint8Array): Promise<void> | undefined;
  /**
   * Called when an application has published on a topic of its tenant. The acknowledgement waits for the returned promise; a rejection leaves the
   * message unacknowledged.
   */
  onPublished?(tenantId: TenantId, message: PublishedMessage): Promise<void> | undefined;
  /** Reports a fault of a connection; `applicationId` is set for an API key or an MQTT client. */
  report?(fault: Fault, applicationId?: string | undefined): void;
  /** Called for every connection. A device may have several. */
  onConnected?(device: IngestDevice): void;
  onDisconnected?(device: IngestDevice): void;
  /** Called when a session of the device that outlived its connection has ended, with its content. */
  onSessionEnded?(deviceId: DeviceId): void;
  /** Called when the device has new subscriptions, or those of a resumed session. */
  onSubscribed?(device: IngestDevice): void;
  /** Called when an application has a new subscription. Resolves when the current state was sent. */
  onApplicationSubscribed?(
    application: MqttApplication,
    filter: string,
    receiver: StateReceiver,
  ): Promise<void>;
  /** Called when the device has acknowledged a command: a message on `v1/devices/me/rpc/request/{id}` in its long form, or for a child. */
  onDelivered?(device: IngestDevice, topic: string, payload: Uint8Array): void;
}

/** Byte stream other than a TCP socket: the WebSocket `/mqtt` of the HTTP server. */
export interface MqttTransport {
  readonly remoteAddress: string;
  /** Kind of connection, `mqtt` by default. */
  readonly protocol?: Peer["protocol"];
  /** Certificate of the client after the TLS handshake; undefined without one. */
  readonly certificate?: PeerCertificate | undefined;
  /** Returns false if the peer reads too slowly; `drain` is called on the connection when it has caught up. */
  write(bytes: Uint8Array): boolean;
  /**
   * Closes after the output is sent. With `linger`, the peer may still be sending and must get the last bytes. A second call cuts off a peer that
   * does not disconnect.
   */
  close(linger: boolean): void;
  pause(): void;
  resume(): void;
}

/** Incoming side of one connection, returned by `accept`. */
export interface MqttConnectionHandle {
  readonly isSignedIn: boolean;
  data(bytes: Uint8Array): void;
  drain(): void;
  closed(): void;
}

/** Messages to programs of tenants. */
export interface ApplicationMessages {
  /** True if no application is subscribed, so that nothing must be prepared. */
  readonly idle: boolean;
  /** Returns the applications whose keys are invalid, or see other devices than when they connected. */
  revoked(): Iterable<string>;
  /** Publishes to the applications of the tenant whose keys have access to every device. */
  publish(
    tenantId: TenantId,
    topic: string,
    payload: Uint8Array,
    options: { readonly qos: 0 | 1; readonly retain: boolean },
  ): Promise<void>;
  /** Returns the tenant's retained messages that match the filter. */
  retained(tenantId: TenantId, filter: string): readonly Omit<PublishedMessage, "retain">[];
  /** Sends to the subscribed programs of the device; `payload` is created once, and only if there are any. */
  publishToSubscribers(
    device: { readonly tenantId: TenantId; readonly deviceId: DeviceId },
    topic: string,
    payload: () => Uint8Array,
  ): Promise<void>;
}

export interface MqttServer {
  /** Connects the handlers, once and before the start. */
  handle(handlers: MqttHandlers): void;
  start(): Promise<void>;
  /** Answers committed messages, refuses the rest and closes every connection. Resolves when all are closed. */
  stop(): Promise<void>;
  /** Stamps the session file with its data directory and generation. Resolves once the stamp is on disk. */
  stampSessions(stamp: Stamp): Promise<void>;
  readonly port: number | undefined;
  /** TLS port; undefined without TLS. */
  readonly tlsPort: number | undefined;
  /** Uses another certificate for new connections. */
  renewCertificate(pair: TlsPair): void;
  accept(transport: MqttTransport): MqttConnectionHandle;
  /** Publishes to one device on its own topic (`v1/devices/me/attributes` …). Queues for a disconnected durable session. */
  publishToDevice(deviceId: DeviceId, topic: string, payload: Uint8Array, qos: 0 | 1): Promise<void>;
  /** Subscriptions of applications of tenants (`lineside/devices/{deviceId}/telemetry` …). */
  readonly applications: ApplicationMessages;
  /** Ends connections and sessions of an application whose key was removed. */
  disconnectApplication(applicationId: string): void;
  /** Returns the ids of MQTT clients and API keys with durable sessions. */
  applicationCredentials(): readonly string[];
  /**
   * Returns whether the device is connected, is subscribed to the topic of commands, in its long or short form, and has received the queue of its
   * session.
   */
  isListening(deviceId: DeviceId, topic: string): boolean;
  /** Returns whether the device has a session that outlives its connections. */
  hasDurableSession(deviceId: DeviceId): boolean;
  /** Returns whether such a session keeps messages on the topic and repeats them until they are acknowledged. It keeps none of QoS 0. */
  keepsMessages(deviceId: DeviceId, topic: string): boolean;
  /** Ends the connections of a device that was deleted or has other credentials. */
  disconnectDevice(deviceId: DeviceId): void;
  /** Returns the open connections of a device, an API key or an MQTT client. */
  connectionsOf(credentialId: string): number;
  /** Deletes the retained messages of a deleted tenant. */
  forgetTenant(tenantId: TenantId): void;
  stats(): MqttStats;
  usageOf(tenantId: string): MqttUsage;
}

export interface MqttStats {
  /** Signed-in clients. */
  readonly connections: number;
  /** Open sockets, before or after sign-in. */
  readonly sockets: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  /** Messages to clients that were dropped for any reason. */
  readonly messagesDropped: number;
  readonly bytesIn: number;
  readonly refusedConnections: number;
  readonly protocolErrors: number;
}
