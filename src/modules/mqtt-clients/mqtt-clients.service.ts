import type { TenantId } from "../../lib/ids.ts";
import { checkTopicName } from "../../lib/mqtt/topic-filters.ts";
import type { ClientPasswords } from "../../platform/client-passwords.ts";
import type { Clock } from "../../platform/clock.ts";
import { isGuessablePassword } from "../../platform/common-passwords.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import {
  certificateFactsOf,
  type LoginIdentitiesService,
} from "../login-identities/login-identities.service.ts";
import {
  API_KEY_PREFIX,
  type Login,
  PROVISION_USERNAME,
} from "../login-identities/login-identities.types.ts";
import type { Principal } from "../users/users.types.ts";
import {
  mqttApiKeyLimited,
  mqttApiKeyTaken,
  mqttApiKeyUnknown,
  mqttCertificateTaken,
  mqttClientNameTaken,
  mqttClientNotFound,
  mqttClientsMax,
  mqttClientsNeedAllDevices,
  mqttPasswordReserved,
  mqttPasswordWeak,
  mqttTopicInvalid,
  mqttUsernameMissing,
  mqttUsernameReserved,
  mqttUsernameTaken,
} from "./mqtt-clients.errors.ts";
import type { MqttClientsRepository } from "./mqtt-clients.repository.ts";
import type {
  MqttClient,
  MqttClientChange,
  MqttTopics,
  NewMessage,
  NewMqttClient,
  RefusedMessages,
  TopicState,
} from "./mqtt-clients.types.ts";
import { checkPatterns, mayPublish } from "./topic-patterns.ts";

const CLIENTS_PER_TENANT_MAX = 1_000;

interface MqttClientsDeps {
  readonly repository: MqttClientsRepository;
  readonly logins: Pick<LoginIdentitiesService, "isTaken" | "save" | "isConfirmed">;
  readonly passwords: Pick<ClientPasswords, "generate" | "hash">;
  readonly topics: MqttTopics;
  readonly transact: (work: () => void) => void;
  readonly clock: Pick<Clock, "now">;
  readonly events: EventBus<DomainEvents>;
}

type Credentials = Pick<
  MqttClient,
  "signIn" | "username" | "passwordHash" | "fingerprint" | "validTo" | "apiKeyId"
>;
interface Prepared {
  readonly credentials: Credentials;
  /** A generated password, which is shown once. */
  readonly password?: string;
}

export interface SavedMqttClient {
  readonly client: MqttClient;
  readonly password?: string | undefined;
}

const noCredentials = {
  username: null,
  passwordHash: null,
  fingerprint: null,
  validTo: null,
  apiKeyId: null,
};

/** Returns the login identity of a client without an API key. */
function loginOf({ signIn, username, fingerprint }: MqttClient): Login | undefined {
  if (signIn === "PASSWORD") return { kind: "NAME", clientId: null, username };
  return fingerprint === null ? undefined : { kind: "CERTIFICATE", fingerprint };
}

/** Manages the MQTT clients of a tenant for its administrators. */
export class MqttClientsService {
  readonly #deps: MqttClientsDeps;

  constructor(deps: MqttClientsDeps) {
    this.#deps = deps;
  }

  list({ tenantId }: Principal): MqttClient[] {
    return this.#deps.repository.list(tenantId);
  }

  get({ tenantId }: Principal, id: string): MqttClient {
    const client = this.#deps.repository.findById(id);
    if (client?.tenantId !== tenantId) throw mqttClientNotFound();
    return client;
  }

  connectionsOf({ mqttClientId }: MqttClient): number {
    return this.#deps.topics.connectionsOf(mqttClientId);
  }

  /** Returns whether a connection has proven the client's certificate; null if it has none. */
  isConfirmed({ mqttClientId, signIn }: MqttClient): boolean | null {
    return signIn === "CERTIFICATE" ? this.#deps.logins.isConfirmed(mqttClientId) : null;
  }

  refusedOf({ mqttClientId }: MqttClient): RefusedMessages | undefined {
    return this.#deps.topics.refusedOf(mqttClientId);
  }

  /** Creates a client. Only this answer contains a generated password. */
  async create(principal: Principal, input: NewMqttClient): Promise<SavedMqttClient> {
    this.#ensureAllDevices(principal);
    const { repository, clock, transact } = this.#deps;
    const prepared = await this.#prepare(principal.tenantId, input);
    const now = clock.now();
    const client: MqttClient = {
      mqttClientId: newId(),
      tenantId: principal.tenantId,
      name: input.name,
      ...prepared.credentials,
      publish: input.publish ?? [],
      subscribe: input.subscribe ?? [],
      enabled: input.enabled ?? true,
      messagesPerSecond: input.messagesPerSecond ?? null,
      createdAt: now,
      updatedAt: now,
    };
    checkPatterns(client);
    transact(() => {
      if (repository.count(client.tenantId) >= CLIENTS_PER_TENANT_MAX)
        throw mqttClientsMax(CLIENTS_PER_TENANT_MAX);
      this.#ensureFree(client);
      repository.insert(client);
      this.#saveLogin(client);
    });
    return { client, password: prepared.password };
  }

  /** Changes a client. Its connections and sessions end, unless only its name changed. */
  async update(principal: Principal, id: string, change: MqttClientChange): Promise<SavedMqttClient> {
    this.#ensureAllDevices(principal);
    const before = this.get(principal, id);
    const prepared = await this.#prepareChange(before, change);
    const { repository, clock, transact, events } = this.#deps;
    const client: MqttClient = {
      ...this.get(principal, id), // it may have changed while a hash was computed
      ...prepared?.credentials,
      ...(change.name !== undefined && { name: change.name }),
      ...(change.publish !== undefined && { publish: change.publish }),
      ...(change.subscribe !== undefined && { subscribe: change.subscribe }),
      ...(change.enabled !== undefined && { enabled: change.enabled }),
      ...(change.messagesPerSecond !== undefined && { messagesPerSecond: change.messagesPerSecond }),
      updatedAt: clock.now(),
    };
    checkPatterns(client);
    transact(() => {
      this.#ensureFree(client);
      repository.update(client);
      if (prepared !== undefined) this.#saveLogin(client);
    });
    const isOnlyRenamed = Object.entries(change).every(
      ([field, value]) => field === "name" || value === undefined,
    );
    if (!isOnlyRenamed) events.emit("session.ended", { sessionId: id });
    return { client, password: prepared?.password };
  }

  delete(principal: Principal, id: string): void {
    this.#ensureAllDevices(principal);
    this.get(principal, id);
    this.#deps.repository.delete(id);
    this.#deps.events.emit("session.ended", { sessionId: id });
    this.#deps.events.emit("subject.deleted", { kind: "mqtt_client", id });
  }

  listTopics(principal: Principal, prefix: string): readonly TopicState[] {
    this.#ensureAllDevices(principal);
    return this.#deps.topics.list(principal.tenantId, prefix);
  }

  /** Publishes to any topic of the tenant that is not reserved. @throws DomainError `mqtt_client.topic_invalid` */
  async publish(principal: Principal, message: NewMessage): Promise<void> {
    this.#ensureAllDevices(principal);
    try {
      checkTopicName(message.topic);
    } catch {
      throw mqttTopicInvalid();
    }
    if (!mayPublish({ publish: ["#"], subscribe: [] }, message.topic)) throw mqttTopicInvalid();
    await this.#deps.topics.publish(principal.tenantId, message);
  }

  #ensureAllDevices({ devices }: Principal): void {
    if (devices !== "all") throw mqttClientsNeedAllDevices();
  }

  #prepareChange(before: MqttClient, change: MqttClientChange): Promise<Prepared> | undefined {
    const { signIn, username, password, certificate, fingerprint, apiKeyId } = change;
    const parts = [signIn, username, password, certificate, fingerprint, apiKeyId];
    if (parts.every((part) => part === undefined)) return undefined;
    const kind = signIn ?? before.signIn;
    const keepsPassword = kind === "PASSWORD" && before.signIn === kind && password === undefined;
    if (keepsPassword && signIn === undefined)
      return Promise.resolve({
        credentials: {
          ...noCredentials,
          signIn: kind,
          username: this.#usernameOf(change, before),
          passwordHash: before.passwordHash,
        },
      });
    return this.#prepare(before.tenantId, {
      ...change,
      name: before.name,
      signIn: kind,
      username: username ?? before.username ?? undefined,
    });
  }

  #usernameOf({ username }: MqttClientChange, before?: MqttClient): string {
    const wanted = username ?? before?.username ?? "";
    if (wanted === "") throw mqttUsernameMissing();
    if (wanted === PROVISION_USERNAME) throw mqttUsernameReserved();
    return wanted;
  }

  async #prepare(tenantId: TenantId, input: NewMqttClient): Promise<Prepared> {
    const { signIn } = input;
    if (signIn === "CERTIFICATE")
      return { credentials: { ...noCredentials, signIn, ...certificateFactsOf(input) } };
    if (signIn === "API_KEY")
      return { credentials: { ...noCredentials, signIn, ...this.#keyOf(tenantId, input) } };
    const username = this.#usernameOf(input);
    if (input.password?.startsWith(API_KEY_PREFIX) === true) throw mqttPasswordReserved();
    if (input.password !== undefined) {
      if (isGuessablePassword(input.password, [username, input.name])) throw mqttPasswordWeak();
      const passwordHash = await this.#deps.passwords.hash(input.password);
      return { credentials: { ...noCredentials, signIn, username, passwordHash } };
    }
    const { password, passwordHash } = this.#deps.passwords.generate();
    return { credentials: { ...noCredentials, signIn, username, passwordHash }, password };
  }

  #keyOf(tenantId: TenantId, { apiKeyId = "" }: MqttClientChange): { apiKeyId: string } {
    const apiKey = this.#deps.repository.findApiKey(tenantId, apiKeyId);
    if (apiKey === undefined) throw mqttApiKeyUnknown();
    if (!apiKey.hasGlobalDeviceAccess) throw mqttApiKeyLimited();
    return { apiKeyId };
  }

  #saveLogin(client: MqttClient): void {
    const { mqttClientId, tenantId } = client;
    this.#deps.logins.save({ mqttClientId, tenantId }, loginOf(client));
  }

  #ensureFree(client: MqttClient): void {
    const { mqttClientId, tenantId, name, apiKeyId } = client;
    const { repository, logins } = this.#deps;
    const isOthers = (found: MqttClient | undefined) =>
      found !== undefined && found.mqttClientId !== mqttClientId;
    if (isOthers(repository.findByName(tenantId, name))) throw mqttClientNameTaken();
    if (apiKeyId !== null && isOthers(repository.findByApiKey(apiKeyId))) throw mqttApiKeyTaken();
    const login = loginOf(client);
    if (login === undefined || !logins.isTaken({ tenantId, ownerId: mqttClientId }, login)) return;
    throw login.kind === "NAME" ? mqttUsernameTaken() : mqttCertificateTaken();
  }
}
