import { randomUUID } from "node:crypto";
import { type ConnackProperties, connack } from "../../lib/mqtt/packet-writer.ts";
import type { ConnectPacket } from "../../lib/mqtt/packets.ts";
import { Property } from "../../lib/mqtt/properties.ts";
import { Reason } from "../../lib/mqtt/reason.ts";
import { TOPIC_ALIAS_MAX } from "../broker/topic-aliases.ts";
import type { MqttAuthentication, MqttLimits } from "../mqtt.types.ts";
import { NEVER_EXPIRES, Session } from "../session/session.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Principal } from "../topics/principal.ts";

/** Converts the refusal of an authentication to a CONNACK reason. */
export function refusalReason(authentication: MqttAuthentication): number {
  if (authentication.ok) return Reason.success;
  if (authentication.reason === "bad_credentials") return Reason.badCredentials;
  if (authentication.reason === "later") return Reason.connectionRateExceeded;
  return authentication.reason === "unavailable" ? Reason.serverUnavailable : Reason.notAuthorized;
}

/** Checks a CONNECT before its credentials. Returns the reason of its fault; success if there is none. */
export function connectFault(packet: ConnectPacket): number {
  if (packet.properties.has(Property.authenticationMethod)) return Reason.badAuthenticationMethod;
  // 3.1.1, 3.1.3.1: a client without an id must ask for a clean session. MQTT 3.1 has no clients without an id.
  if (packet.clientId === "" && (packet.version === 3 || (packet.version === 4 && !packet.clean)))
    return Reason.clientIdNotValid;
  return Reason.success;
}

/** Returns the seconds that a session outlives its connection, within the limit. 3.1.1 keeps it "until the limit of the server". */
export function sessionExpirySeconds(packet: ConnectPacket, max: number): number {
  if (packet.version < 5) return packet.clean ? 0 : max;
  return Math.min(packet.properties.number(Property.sessionExpiryInterval) ?? 0, max);
}

/** Returns the effective keep-alive, which a server can set for MQTT 5 (3.2.2.3.14). */
export function keepAliveSeconds(packet: ConnectPacket, limits: MqttLimits): number {
  const { keepAliveSecondsMax: max } = limits;
  const asked = packet.keepAliveSeconds;
  return packet.version === 5 && max !== undefined && (asked === 0 || asked > max) ? max : asked;
}

export interface OpenedSession {
  readonly session: Session;
  readonly resumed: boolean;
}

/** Opens the session that a client continues or begins. A device has one session: another client id, or a clean start, ends the previous one. */
export function openSession(
  store: SessionStore,
  principal: Principal,
  packet: ConnectPacket & { readonly clientId: string },
  expirySeconds: number,
): OpenedSession {
  const key = principal.sessionKey(packet.clientId);
  const found = store.get(key);
  if (found !== undefined && !packet.clean && found.clientId === packet.clientId) {
    found.awaySince = undefined;
    found.expirySeconds = expirySeconds;
    return { session: found, resumed: true };
  }
  if (found !== undefined) store.delete(found);
  const { space, owner } = principal;
  const session = new Session({ key, space, owner, clientId: packet.clientId, expirySeconds });
  if (session.durable) store.add(session);
  return { session, resumed: false };
}

export const assignedClientId = () => `lineside-${randomUUID()}`;

/** Returns the positive CONNACK, with the properties of this server for MQTT 5 clients. */
export function welcome(
  packet: ConnectPacket,
  opened: OpenedSession,
  { limits, principal }: { limits: MqttLimits; principal: Principal },
): Uint8Array {
  if (packet.version < 5) return connack(packet.version, Reason.success, opened.resumed);
  const asked = packet.properties.number(Property.sessionExpiryInterval) ?? 0;
  const seconds = opened.session.expirySeconds;
  const keepAlive = keepAliveSeconds(packet, limits);
  const properties: ConnackProperties = {
    receiveMaximum: Math.min(limits.inFlightMax, 65_535),
    maximumPacketSize: limits.packetBytesMax,
    topicAliasMaximum: TOPIC_ALIAS_MAX,
    sharedSubscriptionAvailable: principal.application !== undefined,
    ...(packet.clientId === "" ? { assignedClientIdentifier: opened.session.clientId } : {}),
    ...(keepAlive === packet.keepAliveSeconds ? {} : { serverKeepAlive: keepAlive }),
    ...(asked === seconds || asked === NEVER_EXPIRES ? {} : { sessionExpiryInterval: seconds }),
  };
  return connack(5, Reason.success, opened.resumed, properties);
}
