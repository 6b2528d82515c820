import type { ConnectPacket } from "../lib/mqtt/packets.ts";
import { Property } from "../lib/mqtt/properties.ts";
import { Reason } from "../lib/mqtt/reason.ts";
import type { DeviceIngest } from "../modules/ingest/ingest.types.ts";
import type { Clock } from "../platform/clock.ts";
import { type OpenedSession, welcome } from "./admission.ts";
import { Client, type ClientHost } from "./client.ts";
import type { CommitGroups } from "./commit-groups.ts";
import type { Connection } from "./connection.ts";
import { Delivery, sendWindowMax } from "./delivery.ts";
import type { IncomingMessages } from "./incoming-messages.ts";
import type { Principal } from "./principal.ts";
import { PublishIntake } from "./publish-intake.ts";
import type { SessionStore } from "./session-store.ts";

/** Describes what all clients share. */
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

export function createClient(shared: ClientSurroundings, signedIn: SignedIn): Client {
  const { connection, packet, principal, opened } = signedIn;
  const { session } = opened;
  const { limits } = shared.host;
  const intake = new PublishIntake({
    ingest: shared.ingest,
    groups: shared.groups,
    inFlightMax: limits.inFlightMax,
    version: packet.version,
    principal,
    session,
    other: (message) => shared.messages.take(principal, message),
    from: () => connection.client?.brokerClientId,
    hold: (ms) => new Promise((resolve) => void shared.clock.schedule(ms, resolve)),
    receivedChanged: () => {
      try {
        shared.store.saveReceived(session);
      } catch (error) {
        shared.host.log.error("QoS 2 state could not be written", { error });
        connection.end(Reason.quotaExceeded);
      }
    },
    write: (bytes) => connection.output.write(bytes),
    answered: () => connection.answered(),
  });
  return new Client({
    host: shared.host,
    connection,
    connect: packet,
    principal,
    session,
    intake,
    delivery: createDelivery(shared, signedIn),
    connack: welcome(packet, opened, { limits, principal }),
  });
}

function createDelivery(
  { clock, host }: ClientSurroundings,
  { connection, packet: { version, properties }, principal }: SignedIn,
): Delivery {
  return new Delivery({
    output: connection.output,
    version,
    counters: host.counters,
    receiveMaximum: Math.min(properties.number(Property.receiveMaximum) ?? sendWindowMax, sendWindowMax),
    topicAliasMaximum: Math.min(properties.number(Property.topicAliasMaximum) ?? 0, 32),
    packetBytesMax: properties.number(Property.maximumPacketSize) ?? Number.POSITIVE_INFINITY,
    heldMax: host.limits.queuedPerClientMax,
    now: () => clock.now(),
    overflow: () => connection.end(Reason.quotaExceeded),
    delivered: (topic, payload) => {
      if (principal.device !== undefined) host.delivered(principal.device, topic, payload);
    },
  });
}
