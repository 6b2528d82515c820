import type { TenantId, UserId } from "../../lib/core/ids.ts";
import { RateMeter } from "../../lib/data/rate-meter.ts";
import { shownName } from "../../lib/strings/secret-hint.ts";
import type { PresentedIdentity, ReportRefusal } from "../../modules/faults/refusals.types.ts";
import type { MqttClientsRepository } from "../../modules/mqtt-clients/mqtt-clients.repository.ts";
import type { MqttClient } from "../../modules/mqtt-clients/mqtt-clients.resource.ts";
import { mayPublish, maySubscribe } from "../../modules/mqtt-clients/topic-patterns.ts";
import type { Principal as Caller } from "../../modules/users/users.types.ts";
import type { MqttApplication, MqttAuthentication, MqttCredentials } from "../mqtt.types.ts";
import { readFilter } from "../topics/application-topics.ts";
import { refuseClient } from "./refused-clients.ts";

interface SignInDeps {
  readonly credentials: Pick<MqttClientsRepository, "findAcrossTenants" | "findByApiKey">;
  readonly report: ReportRefusal;
  /** Default messages per second for clients without a limit; 0 for none. */
  readonly messagesPerSecond: number;
}

/** Returns the caller with whose rights a client reads the feed of devices. */
const callerOf = ({ mqttClientId, tenantId, name }: MqttClient): Caller => ({
  userId: mqttClientId as UserId, // not a user: the client itself is the actor
  email: `mqtt-client:${name}`,
  tenantId,
  role: "TENANT_READ_ONLY",
  sessionId: mqttClientId,
  canAcknowledgeAlarms: false,
  devices: "all",
});

function limiterOf(messagesPerSecond: number): RateMeter | undefined {
  if (messagesPerSecond === 0) return undefined;
  const limiter = new RateMeter();
  limiter.perSecond = messagesPerSecond;
  return limiter;
}

/** Sign-in of MQTT clients by password, certificate or API key. */
export class MqttClientSignIn {
  readonly #deps: SignInDeps;
  readonly #deletedTenants = new Set<TenantId>();
  /** Clients with the state of their sign-in: true once changed or deleted. */
  readonly #signIns = new Map<string, { isReplaced: boolean }>();
  /** Limiters by client, shared by all its connections. */
  readonly #limiters = new Map<
    string,
    { readonly updatedAt: number; readonly limiter: RateMeter | undefined }
  >();

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /** Revokes the clients of a deleted tenant. */
  tenantDeleted(tenantId: TenantId): void {
    this.#deletedTenants.add(tenantId);
  }

  /** Invalidates the sign-ins of a changed or deleted client. */
  replaced(mqttClientId: string): void {
    const signIn = this.#signIns.get(mqttClientId);
    if (signIn === undefined) return;
    signIn.isReplaced = true;
    this.#signIns.delete(mqttClientId);
    this.#limiters.delete(mqttClientId);
  }

  /** Signs in a client whose password or certificate was verified; undefined if it was deleted meanwhile. */
  enter(
    credentials: MqttCredentials,
    mqttClientId: string,
    identity: PresentedIdentity,
  ): MqttAuthentication | undefined {
    const found = this.#deps.credentials.findAcrossTenants(mqttClientId);
    if (found === undefined) return undefined;
    if (found.enabled) return { ok: true, application: this.#applicationOf(found) };
    return this.#refuseDisabled(credentials, found, identity);
  }

  /** Signs in with an API key: as its linked client, with the rights of both, or as the key alone. */
  byKey(credentials: MqttCredentials, application: MqttApplication): MqttAuthentication {
    const { applicationId, caller } = application;
    const found = this.#deps.credentials.findByApiKey(applicationId);
    if (found === undefined) return { ok: true, application };
    const identity = { kind: "client", name: shownName(found.name) } as const;
    if (!found.enabled) return this.#refuseDisabled(credentials, found, identity);
    if (caller?.devices !== "all") return { ok: true, application };
    return { ok: true, application: this.#withRightsOf(found, application) };
  }

  #withRightsOf(found: MqttClient, application: MqttApplication): MqttApplication {
    const client = this.#applicationOf(found);
    return {
      ...client,
      ...(application.caller !== undefined && { caller: application.caller }),
      get revoked() {
        return application.revoked || client.revoked;
      },
      get isReplaced() {
        return client.isReplaced === true;
      },
      maySubscribe: (filter) => client.maySubscribe(filter) || application.maySubscribe(filter),
    };
  }

  #refuseDisabled(
    credentials: MqttCredentials,
    { tenantId, mqttClientId }: MqttClient,
    identity: PresentedIdentity,
  ): MqttAuthentication {
    return refuseClient(this.#deps.report, credentials, {
      response: "not_authorized",
      reason: "client_disabled",
      identity,
      owner: { tenantId, mqttClientId },
    });
  }

  #applicationOf(client: MqttClient): MqttApplication {
    const { mqttClientId, tenantId } = client;
    const isDeleted = () => this.#deletedTenants.has(tenantId);
    const signIn = this.#signIns.get(mqttClientId) ?? { isReplaced: false };
    this.#signIns.set(mqttClientId, signIn);
    return {
      applicationId: mqttClientId,
      tenantId,
      caller: callerOf(client),
      limiter: this.#limiterOf(client),
      get revoked() {
        return isDeleted(); // any other change ends its connections immediately
      },
      get isReplaced() {
        return signIn.isReplaced;
      },
      maySubscribe: (filter) =>
        maySubscribe(client, filter) && (!filter.startsWith("lineside/") || readFilter(filter) !== undefined),
      mayPublish: (topic) => mayPublish(client, topic),
    };
  }

  #limiterOf(client: MqttClient): RateMeter | undefined {
    const { mqttClientId, updatedAt } = client;
    const existing = this.#limiters.get(mqttClientId);
    if (existing?.updatedAt === updatedAt) return existing.limiter;
    const limiter = limiterOf(client.messagesPerSecond ?? this.#deps.messagesPerSecond);
    if (limiter === undefined) this.#limiters.delete(mqttClientId);
    else this.#limiters.set(mqttClientId, { updatedAt, limiter });
    return limiter;
  }
}
