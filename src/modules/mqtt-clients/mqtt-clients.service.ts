import { defined } from "../../lib/core/defined.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { checkTopicName } from "../../lib/mqtt/topic-filters.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { ClientPasswords } from "../../platform/secrets/client-passwords.ts";
import { isGuessablePassword } from "../../platform/secrets/common-passwords.ts";
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
  mqttApiKeyUnknown,
  mqttCertificateTaken,
  mqttClientsNeedAllDevices,
  mqttPasswordReserved,
  mqttPasswordWeak,
  mqttTopicInvalid,
  mqttUsernameMissing,
  mqttUsernameReserved,
  mqttUsernameTaken,
} from "./mqtt-clients.errors.ts";
import type { MqttClientsRepository } from "./mqtt-clients.repository.ts";
import type { MqttClient, mqttClientResource } from "./mqtt-clients.resource.ts";
import type { MqttTopics, NewMessage, RefusedMessages, TopicState } from "./mqtt-clients.types.ts";
import { checkPatterns, mayPublish } from "./topic-patterns.ts";

type NewMqttClient = typeof mqttClientResource.$create;
type MqttClientChange = typeof mqttClientResource.$update;

interface MqttClientsDeps {
  readonly repository: MqttClientsRepository;
  readonly logins: Pick<LoginIdentitiesService, "isTaken" | "save" | "isConfirmed">;
  readonly passwords: Pick<ClientPasswords, "generate" | "hash">;
  readonly topics: MqttTopics;
  readonly transact: MainDatabase["transact"];
  readonly events: EventBus<DomainEvents>;
}

type Credentials = Pick<
  MqttClient,
  "signIn" | "username" | "passwordHash" | "fingerprint" | "validTo" | "apiKeyId"
>;
interface Prepared {
  readonly credentials: Credentials;
  /** Generated password, shown once. */
  readonly password?: string;
}

/** Client with a generated password, shown once. */
export interface SavedMqttClient extends MqttClient {
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

  read({ tenantId }: Principal) {
    return this.#deps.repository.rows(tenantId);
  }

  get({ tenantId }: Principal, id: string): MqttClient {
    return this.#deps.repository.get(tenantId, id);
  }

  connectionsOf({ mqttClientId }: Pick<MqttClient, "mqttClientId">): number {
    return this.#deps.topics.connectionsOf(mqttClientId);
  }

  /** Returns whether a connection has proven the client's certificate; null if it has none. */
  isConfirmed({ mqttClientId, signIn }: Pick<MqttClient, "mqttClientId" | "signIn">): boolean | null {
    return signIn === "CERTIFICATE" ? this.#deps.logins.isConfirmed(mqttClientId) : null;
  }

  refusedOf({ mqttClientId }: Pick<MqttClient, "mqttClientId">): RefusedMessages | undefined {
    return this.#deps.topics.refusedOf(mqttClientId);
  }

  /** Creates a client. A generated password is returned only here. */
  async create(principal: Principal, input: NewMqttClient): Promise<SavedMqttClient> {
    this.#ensureAllDevices(principal);
    const { repository, transact } = this.#deps;
    const { tenantId } = principal;
    const { credentials, password } = await this.#prepare(tenantId, input);
    const { name, publish = [], subscribe = [], enabled = true, messagesPerSecond = null } = input;
    const fields = { name, ...credentials, publish, subscribe, enabled, messagesPerSecond };
    checkPatterns(fields);
    const client = transact(() => {
      repository.ensureRoom(tenantId);
      const inserted = repository.insert(tenantId, fields);
      this.#ensureLoginFree(inserted);
      this.#saveLogin(inserted);
      return inserted;
    });
    return { ...client, password };
  }

  /** Changes a client. Its connections and sessions end, unless only its name changed. */
  async update(principal: Principal, id: string, change: MqttClientChange): Promise<SavedMqttClient> {
    this.#ensureAllDevices(principal);
    const before = this.get(principal, id);
    const prepared = await this.#prepareChange(before, change);
    const { repository, transact, events } = this.#deps;
    const current = this.get(principal, id); // it may have changed while a hash was computed
    const { name, publish, subscribe, enabled, messagesPerSecond } = change;
    const fields = { name, publish, subscribe, enabled, messagesPerSecond };
    checkPatterns({ ...current, ...defined({ publish, subscribe }) });
    const client = transact(() => {
      const updated = repository.update(current, { ...fields, ...prepared?.credentials });
      this.#ensureLoginFree(updated);
      if (prepared !== undefined) this.#saveLogin(updated);
      return updated;
    });
    const isOnlyRenamed = Object.entries(change).every(
      ([field, value]) => field === "name" || value === undefined,
    );
    if (!isOnlyRenamed) events.emit("session.ended", { sessionId: id });
    return { ...client, password: prepared?.password };
  }

  delete(principal: Principal, id: string): void {
    this.#ensureAllDevices(principal);
    this.#deps.repository.delete(this.get(principal, id));
    this.#deps.events.emit("session.ended", { sessionId: id });
    this.#deps.events.emit("subject.deleted", { kind: "mqtt_client", id });
  }

  listTopics(principal: Principal, prefix: string): readonly TopicState[] {
    this.#ensureAllDevices(principal);
    return this.#deps.topics.list(principal.tenantId, prefix);
  }

  /** Publishes to any unreserved topic of the tenant. @throws DomainError `mqtt_client.topic_invalid` */
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
      ...defined({ username: username ?? before.username ?? undefined }),
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

  #ensureLoginFree(client: MqttClient): void {
    const { mqttClientId, tenantId } = client;
    const login = loginOf(client);
    if (login === undefined || !this.#deps.logins.isTaken({ tenantId, ownerId: mqttClientId }, login)) return;
    throw login.kind === "NAME" ? mqttUsernameTaken() : mqttCertificateTaken();
  }
}
