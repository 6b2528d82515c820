import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { MqttServerDeps } from "../mqtt.types.ts";
import type { Clients } from "../sign-in/signed-in-clients.ts";
import type { Principal } from "../topics/principal.ts";
import type { SessionStore } from "./session-store.ts";

type LimitDeps = Pick<MqttServerDeps, "limits" | "quotasOf">;

interface Asked {
  readonly key: string;
  readonly clientId: string;
  readonly isDurable: boolean;
}

/** Limits on connections and durable sessions, per API key and for all clients of a tenant. */
export class SessionLimits {
  readonly #deps: LimitDeps;
  readonly #clients: Clients;
  /** Refused connections since the start, by tenant. */
  readonly #refused = new Map<string, number>();

  constructor(deps: LimitDeps, clients: Clients) {
    this.#deps = deps;
    this.#clients = clients;
  }

  /** Returns the limit that a client would exceed. */
  hitBy(store: SessionStore, principal: Principal, asked: Asked): Text | undefined {
    if (principal.provisioningSession !== undefined) return undefined; // has limits of its own, and no tenant yet
    const hit =
      this.#ofDevice(principal, asked) ??
      this.#connections(principal, asked) ??
      this.#sessions(store, principal, asked);
    const { tenantId } = principal.owner;
    if (hit !== undefined) this.#refused.set(tenantId, this.refusedOf(tenantId) + 1);
    return hit;
  }

  refusedOf(tenantId: string): number {
    return this.#refused.get(tenantId) ?? 0;
  }

  /** Returns the limit of a device. A client with the same client id always takes over its session, as MQTT requires. */
  #ofDevice({ device }: Principal, { clientId }: Asked): Text | undefined {
    if (device?.sessionsWhenFull !== "REFUSE") return undefined;
    const max = device.sessionsMax ?? 1;
    const others = this.#clients
      .ofDevice(device.deviceId)
      .filter(({ session }) => session.clientId !== clientId);
    return others.length >= max ? detail("device.mqtt_sessions_limit", { max }) : undefined;
  }

  #connections(principal: Principal, { key }: Asked): Text | undefined {
    if (this.#clients.replacesClient(principal, key)) return undefined;
    const { tenantId, credentialId } = principal.owner;
    const { counts } = this.#clients;
    const { connectionsPerKeyMax } = this.#deps.limits;
    if (principal.application !== undefined && counts.ofCredential(credentialId) >= connectionsPerKeyMax)
      return detail("key.mqtt_connections_limit", { max: connectionsPerKeyMax });
    const { connections } = this.#deps.quotasOf(tenantId);
    if (connections !== null && counts.ofTenant(tenantId) >= connections)
      return detail("tenant.mqtt_connections_limit", { max: connections });
    return undefined;
  }

  /**
   * Checks the number of sessions. That of a device is in its profile; sessions of applications share one space and are searched for each message.
   */
  #sessions(store: SessionStore, principal: Principal, { key, isDurable }: Asked): Text | undefined {
    if (principal.application === undefined || !isDurable || store.get(key) !== undefined) return undefined;
    const { tenantId, credentialId } = principal.owner;
    const { applicationSessions } = store;
    const { sessionsPerKeyMax } = this.#deps.limits;
    if (applicationSessions.ofCredential(credentialId) >= sessionsPerKeyMax)
      return detail("key.mqtt_sessions_limit", { max: sessionsPerKeyMax });
    const { sessions } = this.#deps.quotasOf(tenantId);
    if (sessions !== null && applicationSessions.ofTenant(tenantId) >= sessions)
      return detail("tenant.mqtt_sessions_limit", { max: sessions });
    return undefined;
  }
}
