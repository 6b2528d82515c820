import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { PacketTooLarge, type ProtocolError } from "../../lib/mqtt/reason.ts";
import { sampleText } from "../../lib/strings/sample-text.ts";
import { shownName } from "../../lib/strings/secret-hint.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Peer } from "../../modules/api/request-peer.ts";
import type { Fault } from "../../modules/faults/faults.types.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { MqttHandlers, MqttServerDeps } from "../mqtt.types.ts";
import type { Session, SessionOwner } from "../session/session.ts";
import type { MessageLoss } from "../session/session-store.ts";
import type { Principal } from "../topics/principal.ts";

/** Takeovers within `TAKEOVER_WINDOW_MS` from which they are listed: a client that reconnects occasionally takes over its own lost connection. */
const LISTED_FROM = 3;
const TAKEOVER_WINDOW_MS = 5 * 60_000;
/** Max. remembered devices and sessions. Beyond it, the one with the oldest latest takeover is forgotten. */
const REMEMBERED_MAX = 1_000;
const TIMES_MAX = 100;

/** Counts connections ended by another one of the same device or session: clients that share a token end each other forever. */
class Takeovers {
  /** Times of the newest takeovers by device or session, sorted by the latest one. */
  readonly #times = new Map<string, number[]>();

  /** Adds a takeover. Returns the number of takeovers in the window; undefined while they are too few to be listed. */
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

/** Returns the topic of a PUBLISH, if the received part contains it. */
function topicOf({ header, start }: PacketTooLarge): string | undefined {
  if (header >> 4 !== PUBLISH_TYPE || start.length < 2) return undefined;
  const end = 2 + ((start[0]! << 8) | start[1]!);
  return end > start.length ? undefined : new TextDecoder().decode(start.subarray(2, end));
}

/** Returns the identity of a client by its own claims, if nothing else is known. */
const identityOf = ({ client }: Peer): Fault["identity"] => ({
  kind: client === undefined ? "none" : "client",
  name: shownName(client ?? ""),
});

const ownerOf = ({ owner, device }: Partial<Principal> = {}): Pick<Fault, "tenantId" | "subject"> => ({
  tenantId: owner?.tenantId as TenantId | undefined, // of a device or an API key
  ...(device !== undefined && { subject: { kind: "device", id: device.deviceId } }),
});

type FaultDeps = Pick<MqttServerDeps, "ingest" | "limits" | "log"> &
  Pick<MqttHandlers, "report"> & {
    readonly clock: Pick<Clock, "monotonic">;
  };

/**
 * Reports faults on connections, because most clients before MQTT 5 cannot be informed, and repeat them forever: on the device as a rejected
 * message, for other clients as a fault of the client or API key.
 */
export class ConnectionFaults {
  readonly #deps: FaultDeps;
  readonly #takeovers = new Takeovers();

  constructor(deps: FaultDeps) {
    this.#deps = deps;
  }

  /** Reports an unsupported protocol level, which is all that is known of the client. */
  unsupported(peer: Peer, level: number): void {
    const name = `0x${level.toString(16).padStart(2, "0")}`;
    this.#refuse(peer, "refusal.protocol_level_unknown", { identity: { kind: "client", name } });
  }

  /** Reports a connection refused because of a limit. */
  limited(peer: Peer, principal?: Principal): void {
    this.#refuse(peer, "refusal.connection_limit", { identity: identityOf(peer), ...ownerOf(principal) });
  }

  /** Reports subscriptions refused because of a limit. */
  subscriptionsLimited(principal: Principal, peer: Peer): void {
    const fault = { identity: identityOf(peer), ...ownerOf(principal) };
    this.#refuse(peer, "refusal.subscription_limit", fault, principal.application?.applicationId);
  }

  /** Reports a client whose sign-in would exceed a limit of its own or of its tenant. */
  exceeded(principal: Principal, clientId: string, hit: Text): void {
    this.#deps.log.info("client refused because of a limit", { ...principal.owner, code: hit.code });
    this.#tell(principal, { ...hit, where: "CONNECT", client: clientId });
  }

  /** Reports a connection that ends because of its packets. Before sign-in, nothing is known of the client. */
  broken(peer: Peer, principal: Principal | undefined, error: ProtocolError): void {
    if (principal === undefined || principal.provisioningSession !== undefined) {
      const fault = detail("fault.mqtt_packet_malformed", { error: error.message });
      this.#deps.report?.({ source: "mqtt", ...fault, ...peer, where: "CONNECT" });
    } else if (error instanceof PacketTooLarge) this.#tooLarge(principal, peer, error);
    else
      this.#tell(principal, { ...detail("fault.mqtt_packet_malformed", { error: error.message }), ...peer });
  }

  /** Reports a client that has ended the connection of another one with the same device or client id. */
  takenOver(principal: Principal, { key, clientId }: { key: string; clientId: string }): void {
    const { device } = principal;
    const count = this.#takeovers.add(device?.deviceId ?? key, this.#deps.clock.monotonic());
    if (count === undefined) return;
    const code = device === undefined ? "fault.mqtt_taken_over" : "device.mqtt_taken_over";
    const hit = detail(code, { count, minutes: TAKEOVER_WINDOW_MS / 60_000 });
    this.#tell(principal, { ...hit, where: "CONNECT", client: clientId });
  }

  /** Reports a forbidden PUBLISH, which is acknowledged to MQTT 3.1.1 clients (MQTT-3.3.5-2) and would otherwise go unnoticed. */
  forbidden(principal: Principal, topic: string, payload: Uint8Array): void {
    this.#tell(principal, { ...detail("topic.forbidden"), where: topic, sample: sampleText(payload) });
  }

  /** Reports a forbidden filter, because many clients ignore the response to a SUBSCRIBE and wait for messages in vain. */
  forbiddenFilter(principal: Principal, filter: string, clientId: string): void {
    const code = principal.device === undefined ? "subscription.forbidden" : "subscription.unknown";
    this.#tell(principal, { ...detail(code), where: filter, client: clientId });
  }

  /** Reports a dropped message, unless it expired as its sender intended. */
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

  /** Lists a fault on the device, or reports it if the client is not a device. A device that requests credentials has no owner yet. */
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
