import { detail } from "../lib/core/domain-error.ts";
import type { TenantId } from "../lib/core/ids.ts";
import { PacketTooLarge, type ProtocolError } from "../lib/mqtt/reason.ts";
import { sampleText } from "../lib/strings/sample-text.ts";
import { shownName } from "../lib/strings/secret-hint.ts";
import type { Text } from "../lib/texts/text.ts";
import type { Fault } from "../modules/faults/faults.types.ts";
import type { Peer } from "../modules/request-peer.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { MqttServerDeps } from "./mqtt.types.ts";
import type { Principal } from "./principal.ts";
import type { Session, SessionOwner } from "./session.ts";
import type { MessageLoss } from "./session-store.ts";

/** Takeovers within `TAKEOVER_WINDOW_MS` that are listed: a client that reconnects takes over its own lost connection now and then. */
const LISTED_FROM = 3;
const TAKEOVER_WINDOW_MS = 5 * 60_000;
/** Number of devices and sessions that are remembered; beyond it the one whose newest takeover is oldest is forgotten. */
const REMEMBERED_MAX = 1_000;
const TIMES_MAX = 100;

/** Counts connections that were ended by another one of the same device or session: clients that share a token end each other for ever. */
class Takeovers {
  /** Times of the newest takeovers, by device or session; the one with the newest takeover last. */
  readonly #times = new Map<string, number[]>();

  /** Adds a takeover. Returns how many there were in the window, or `undefined` while they are too few to be listed. */
  add(key: string, now: number): number | undefined {
    const times = (this.#times.get(key) ?? []).filter((time) => now - time < TAKEOVER_WINDOW_MS);
    times.push(now);
    this.#times.delete(key);
    this.#times.set(key, times.slice(-TIMES_MAX));
    const [oldest] = this.#times.keys();
    if (this.#times.size > REMEMBERED_MAX && oldest !== undefined) this.#times.delete(oldest);
    return times.length >= LISTED_FROM ? times.length : undefined;
  }
}

const PUBLISH_TYPE = 3;
const lossCodes = {
  full: "fault.mqtt_messages_dropped",
  congested: "fault.mqtt_messages_unread",
  size: "fault.mqtt_messages_too_large",
} as const satisfies Record<Exclude<MessageLoss, "expired">, string>;

/** Returns the topic of a PUBLISH, if what was received contains it. */
function topicOf({ header, start }: PacketTooLarge): string | undefined {
  if (header >> 4 !== PUBLISH_TYPE || start.length < 2) return undefined;
  const end = 2 + ((start[0]! << 8) | start[1]!);
  return end > start.length ? undefined : new TextDecoder().decode(start.subarray(2, end));
}

/** What a client calls itself, where nothing more is known of it. */
const identityOf = ({ client }: Peer): Fault["identity"] => ({
  kind: client === undefined ? "none" : "client",
  name: shownName(client ?? ""),
});

const ownerOf = ({ owner, device }: Partial<Principal> = {}): Pick<Fault, "tenantId" | "subject"> => ({
  tenantId: owner?.tenantId as TenantId | undefined, // of a device or an API key
  ...(device !== undefined && { subject: { kind: "device", id: device.deviceId } }),
});

type FaultDeps = Pick<MqttServerDeps, "ingest" | "limits" | "log" | "report"> & {
  readonly clock: Pick<Clock, "monotonic">;
};

/**
 * Reports what goes wrong on connections, because most clients cannot be told before MQTT 5, and repeat it for ever: on the device as a rejected
 * message, of other clients as a fault of the client or API key.
 */
export class ConnectionFaults {
  readonly #deps: FaultDeps;
  readonly #takeovers = new Takeovers();

  constructor(deps: FaultDeps) {
    this.#deps = deps;
  }

  /** The protocol level is all that is known of the client. */
  unsupported(peer: Peer, level: number): void {
    const name = `0x${level.toString(16).padStart(2, "0")}`;
    this.#refuse(peer, "refusal.protocol_level_unknown", { identity: { kind: "client", name } });
  }

  /** A connection was refused because of a limit. */
  limited(peer: Peer, principal?: Principal): void {
    this.#refuse(peer, "refusal.connection_limit", { identity: identityOf(peer), ...ownerOf(principal) });
  }

  /** Subscriptions were refused because of a limit. */
  subscriptionsLimited(principal: Principal, peer: Peer): void {
    const fault = { identity: identityOf(peer), ...ownerOf(principal) };
    this.#refuse(peer, "refusal.subscription_limit", fault, principal.application?.applicationId);
  }

  /** A client that signs in would exceed a limit of its own or of its tenant. */
  exceeded(principal: Principal, clientId: string, hit: Text): void {
    this.#deps.log.info("client refused because of a limit", { ...principal.owner, code: hit.code });
    this.#tell(principal, { ...hit, where: "CONNECT", client: clientId });
  }

  /** The connection ends because of what it sent; nothing is known of the client before it has signed in. */
  broken(peer: Peer, principal: Principal | undefined, error: ProtocolError): void {
    if (principal === undefined || principal.provisioningSession !== undefined) {
      const fault = detail("fault.mqtt_packet_malformed", { error: error.message });
      this.#deps.report?.({ source: "mqtt", ...fault, ...peer, where: "CONNECT" });
    } else if (error instanceof PacketTooLarge) this.#tooLarge(principal, peer, error);
    else
      this.#tell(principal, { ...detail("fault.mqtt_packet_malformed", { error: error.message }), ...peer });
  }

  /** A client has ended the connection of another one of its device, or of its client id. */
  takenOver(principal: Principal, { key, clientId }: { key: string; clientId: string }): void {
    const { device } = principal;
    const count = this.#takeovers.add(device?.deviceId ?? key, this.#deps.clock.monotonic());
    if (count === undefined) return;
    const code = device === undefined ? "fault.mqtt_taken_over" : "device.mqtt_taken_over";
    const hit = detail(code, { count, minutes: TAKEOVER_WINDOW_MS / 60_000 });
    this.#tell(principal, { ...hit, where: "CONNECT", client: clientId });
  }

  /** An MQTT 3.1.1 client gets its acknowledgement all the same (MQTT-3.3.5-2), so that nobody else would hear of it. */
  forbidden(principal: Principal, topic: string, payload: Uint8Array): void {
    this.#tell(principal, { ...detail("topic.forbidden"), where: topic, sample: sampleText(payload) });
  }

  /** Many clients do not look at the answer to a SUBSCRIBE, and wait for messages that never come. */
  forbiddenFilter(principal: Principal, filter: string, clientId: string): void {
    const code = principal.device === undefined ? "subscription.forbidden" : "subscription.unknown";
    this.#tell(principal, { ...detail(code), where: filter, client: clientId });
  }

  /** Reports a dropped message, unless it expired as its sender wanted. */
  dropped(session: Pick<Session, "space" | "owner" | "clientId">, reason: MessageLoss, count: number): void {
    if (reason === "expired") return;
    const { owner, clientId, space } = session;
    const isDevice = space === owner.credentialId;
    this.#report(owner, isDevice, { ...detail(lossCodes[reason]), client: clientId, count });
  }

  #tooLarge(principal: Principal, peer: Peer, packet: PacketTooLarge): void {
    const { limits, log } = this.#deps;
    const { bytes } = packet;
    const where = topicOf(packet) ?? "PUBLISH";
    log.info("client disconnected: its packet is too large", { ...principal.owner, topic: where, bytes });
    const code =
      principal.device === undefined ? "fault.mqtt_packet_too_large" : "device.mqtt_packet_too_large";
    this.#tell(principal, {
      ...detail(code, { bytes, max: limits.packetBytesMax }),
      where,
      client: peer.client,
    });
  }

  /** Lists it on the device, or reports it for another client. A device that asks for credentials belongs to nobody yet. */
  #tell(
    { device, owner, application }: Principal,
    fault: Omit<Fault, "source" | "tenantId" | "subject">,
  ): void {
    if (device !== undefined) {
      const { code, params, where = "" } = fault;
      this.#deps.ingest.reject(device, { source: "mqtt", where, code, params });
    } else if (application !== undefined) this.#report(owner, false, fault);
  }

  #report(
    { tenantId, credentialId }: SessionOwner,
    isDevice: boolean,
    fault: Omit<Fault, "source" | "tenantId" | "subject">,
  ): void {
    const owned = { ...fault, source: "mqtt", tenantId: tenantId as TenantId } as const; // of a device or an API key
    if (isDevice) this.#deps.report?.({ ...owned, subject: { kind: "device", id: credentialId } });
    else this.#deps.report?.(owned, credentialId);
  }

  #refuse(
    { address, protocol, client }: Peer,
    code: "refusal.protocol_level_unknown" | "refusal.connection_limit" | "refusal.subscription_limit",
    fault: Pick<Fault, "identity" | "tenantId" | "subject">,
    applicationId?: string,
  ): void {
    const refused = { source: "mqtt", ...detail(code), address, protocol, client, ...fault } as const;
    this.#deps.report?.(refused, applicationId);
  }
}
