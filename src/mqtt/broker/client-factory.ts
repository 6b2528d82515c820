import type { ConnectPacket } from "../../lib/mqtt/packets.ts";
import { type Properties, Property } from "../../lib/mqtt/properties.ts";
import { Reason } from "../../lib/mqtt/reason.ts";
import type { DeviceIngest } from "../../modules/ingest/ingest.types.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type OpenedSession, welcome } from "../connection/admission.ts";
import type { CommitGroups } from "../connection/commit-groups.ts";
import type { Connection } from "../connection/connection.ts";
import type { IncomingMessages } from "../connection/incoming-messages.ts";
import { type IncomingMessage, type IntakeHost, PublishIntake } from "../connection/publish-intake.ts";
import type { Session } from "../session/session.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Principal } from "../topics/principal.ts";
import { Client, type ClientHost } from "./client.ts";
import { type ClientLimits, Delivery, SEND_WINDOW_MAX } from "./delivery.ts";

/** Dependencies that all clients share. */
export interface ClientSurroundings {
  readonly host: ClientHost;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ingest: DeviceIngest;
  readonly groups: CommitGroups;
  readonly messages: IncomingMessages;
}

export interface SignedIn {
  readonly connection: Connection;
  readonly packet: ConnectPacket;
  readonly principal: Principal;
  readonly opened: OpenedSession;
}

/** Limits of a client that sets none, such as all clients before MQTT 5: one shared object. */
const defaultLimits: ClientLimits = {
  receiveMaximum: SEND_WINDOW_MAX,
  topicAliasMaximum: 0,
  packetBytesMax: Number.POSITIVE_INFINITY,
};

function limitsOf(properties: Properties): ClientLimits {
  if (properties.empty) return defaultLimits;
  return {
    receiveMaximum: Math.min(properties.number(Property.receiveMaximum) ?? SEND_WINDOW_MAX, SEND_WINDOW_MAX),
    topicAliasMaximum: Math.min(properties.number(Property.topicAliasMaximum) ?? 0, 32),
    packetBytesMax: properties.number(Property.maximumPacketSize) ?? Number.POSITIVE_INFINITY,
  };
}

/** Creates clients. Their parts share it, so that a connection has no functions of its own. */
export class ClientFactory implements IntakeHost {
  readonly ingest: DeviceIngest;
  readonly groups: CommitGroups;
  readonly inFlightMax: number;
  readonly #shared: ClientSurroundings;

  constructor(shared: ClientSurroundings) {
    this.ingest = shared.ingest;
    this.groups = shared.groups;
    this.inFlightMax = shared.host.limits.inFlightMax;
    this.#shared = shared;
  }

  create({ connection, packet, principal, opened }: SignedIn): Client {
    const { host } = this.#shared;
    const { session } = opened;
    const { version } = packet;
    return new Client(host, this, {
      connection,
      connect: packet,
      principal,
      session,
      intake: new PublishIntake(this, { connection, version, principal, session }),
      limits: limitsOf(packet.properties),
      connack: welcome(packet, opened, { limits: host.limits, principal }),
    });
  }

  createDelivery({ connection, version, limits, principal, session }: Client): Delivery {
    const { clock, host, store } = this.#shared;
    return new Delivery({
      ...limits,
      output: connection.output,
      version,
      counters: host.counters,
      heldMax: host.limits.queuedPerClientMax,
      now: () => clock.now(),
      overflow: () => connection.end(Reason.quotaExceeded),
      dropped: (reason) => {
        if (reason !== "held") store.countDropped(session, reason);
        // The queue of a durable session is full earlier, and has counted the message.
        else if (store.get(session.key) !== session) store.countDropped(session, "full");
      },
      delivered: (topic, payload) => {
        if (principal.device !== undefined) host.delivered(principal.device, topic, payload);
      },
    });
  }

  takeOther(principal: Principal, message: IncomingMessage): Promise<void> {
    return this.#shared.messages.take(principal, message);
  }

  hold(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#shared.clock.schedule(ms, resolve));
  }

  saveReceived(session: Session): boolean {
    const { store, host } = this.#shared;
    try {
      store.saveReceived(session);
      return true;
    } catch (error) {
      host.log.error("QoS 2 state could not be written", { error });
      return false;
    }
  }
}
