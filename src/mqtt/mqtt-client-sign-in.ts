import type { TenantId, UserId } from "../lib/ids.ts";
import { RateMeter } from "../lib/rate-meter.ts";
import { shownName } from "../lib/secret-hint.ts";
import type { MqttClientsRepository } from "../modules/mqtt-clients/mqtt-clients.repository.ts";
import type { MqttClient } from "../modules/mqtt-clients/mqtt-clients.types.ts";
import { mayPublish, maySubscribe } from "../modules/mqtt-clients/topic-patterns.ts";
import type { ReportRefusal } from "../modules/refusals/refusals.types.ts";
import type { Principal as Caller } from "../modules/users/users.types.ts";
import type { ClientPasswords, Verdict } from "../platform/client-passwords.ts";
import type { Clock } from "../platform/clock.ts";
import { readFilter } from "./application-topics.ts";
import type { MqttApplication, MqttAuthentication, MqttCredentials } from "./mqtt.types.ts";
import { type RefusedClient, refuseClient } from "./refused-clients.ts";

interface SignInDeps {
  readonly credentials: Pick<MqttClientsRepository, "findByUsername" | "findByFingerprint" | "findByApiKey">;
  readonly passwords: Pick<ClientPasswords, "verify">;
  readonly clock: Pick<Clock, "now">;
  readonly report: ReportRefusal;
}

const FINGERPRINT_SHOWN = 16;

/** Returns the caller under which a client reads the feed of devices. */
const callerOf = ({ mqttClientId, tenantId, name }: MqttClient): Caller => ({
  userId: mqttClientId as UserId, // no user's: a client is its own actor
  email: `mqtt-client:${name}`,
  tenantId,
  role: "TENANT_READ_ONLY",
  sessionId: mqttClientId,
  canAcknowledgeAlarms: false,
  devices: "all",
});

function limiterOf({ messagesPerSecond }: MqttClient): RateMeter | undefined {
  if (messagesPerSecond === null) return undefined;
  const limiter = new RateMeter();
  limiter.perSecond = messagesPerSecond;
  return limiter;
}

/** Authenticates MQTT clients with topics of their own. */
export class MqttClientSignIn {
  readonly #deps: SignInDeps;
  readonly #deletedTenants = new Set<TenantId>();
  /** Client → whether it was changed or deleted since it signed in. */
  readonly #signIns = new Map<string, { isReplaced: boolean }>();
  /** Limits by client, for all its connections together. */
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

  /** The client was changed or deleted. */
  replaced(mqttClientId: string): void {
    const signIn = this.#signIns.get(mqttClientId);
    if (signIn === undefined) return;
    signIn.isReplaced = true;
    this.#signIns.delete(mqttClientId);
    this.#limiters.delete(mqttClientId);
  }

  /** Returns `undefined` if the user name is that of no client. Returns a promise only if a slow hash has to be computed. */
  byPassword(credentials: MqttCredentials): MqttAuthentication | Promise<MqttAuthentication> | undefined {
    const { username = "", password = new Uint8Array(), remoteAddress: address, isGone } = credentials;
    const found = username === "" ? undefined : this.#deps.credentials.findByUsername(username);
    if (found === undefined || found.passwordHash === null) return undefined;
    const { mqttClientId: credentialId, passwordHash } = found;
    const verdict = this.#deps.passwords.verify({ credentialId, passwordHash, password, address, isGone });
    if (typeof verdict === "string") return this.#answer(credentials, found, verdict);
    return verdict.then((late) => {
      // It may have been changed while the hash was computed.
      const current = this.#deps.credentials.findByUsername(username);
      const isCurrent = current?.passwordHash === passwordHash;
      return this.#answer(credentials, current ?? found, isCurrent ? late : "wrong");
    });
  }

  /** Returns `undefined` if the certificate is that of no client. */
  byCertificate(credentials: MqttCredentials): MqttAuthentication | undefined {
    const { certificate } = credentials;
    const found = certificate && this.#deps.credentials.findByFingerprint(certificate.fingerprint);
    if (certificate === undefined || found === undefined) return undefined;
    if (found.enabled && certificate.validTo > this.#deps.clock.now()) return this.#accept(found);
    const name = `${certificate.fingerprint.slice(0, FINGERPRINT_SHOWN)}…`;
    return this.#refuse(credentials, found, {
      answer: "not_authorized",
      reason: found.enabled ? "certificate_expired" : "client_disabled",
      identity: { kind: "certificate", name },
    });
  }

  /** Signs in with an API key: as the client that is linked to it, with the rights of both, or as the key alone. */
  byKey(credentials: MqttCredentials, application: MqttApplication): MqttAuthentication {
    const { applicationId, caller } = application;
    const found = this.#deps.credentials.findByApiKey(applicationId);
    if (found === undefined) return { ok: true, application };
    if (!found.enabled) {
      const identity = { kind: "client", name: shownName(found.name) } as const;
      return this.#refuse(credentials, found, {
        answer: "not_authorized",
        reason: "client_disabled",
        identity,
      });
    }
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

  #answer(credentials: MqttCredentials, client: MqttClient, verdict: Verdict): MqttAuthentication {
    const identity = { kind: "client", name: shownName(client.username ?? "") } as const;
    if (verdict === "later")
      return this.#refuse(credentials, client, { answer: "later", reason: "too_many_tries", identity });
    if (verdict === "wrong")
      return this.#refuse(credentials, client, {
        answer: "bad_credentials",
        reason: "password_wrong",
        identity,
      });
    if (client.enabled) return this.#accept(client);
    return this.#refuse(credentials, client, {
      answer: "not_authorized",
      reason: "client_disabled",
      identity,
    });
  }

  #refuse(
    credentials: MqttCredentials,
    { tenantId }: MqttClient,
    refused: RefusedClient,
  ): MqttAuthentication {
    return refuseClient(this.#deps.report, credentials, { ...refused, owner: { tenantId } });
  }

  #accept(client: MqttClient): MqttAuthentication {
    return { ok: true, application: this.#applicationOf(client) };
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
        return isDeleted(); // any other change ends its connections at once
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
    const limiter = limiterOf(client);
    if (limiter === undefined) this.#limiters.delete(mqttClientId);
    else this.#limiters.set(mqttClientId, { updatedAt, limiter });
    return limiter;
  }
}
