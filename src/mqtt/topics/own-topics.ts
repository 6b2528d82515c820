import type { TenantId } from "../../lib/core/ids.ts";
import { filterMatches } from "../../lib/mqtt/topic-filters.ts";
import type { Faults } from "../../modules/faults/faults.service.ts";
import type { Fault, FaultSubject } from "../../modules/faults/faults.types.ts";
import type { ReportRefusal } from "../../modules/faults/refusals.types.ts";
import type { LoginIdentitiesService } from "../../modules/login-identities/login-identities.service.ts";
import type { Core } from "../../modules/module.types.ts";
import { createMqttClientsModule } from "../../modules/mqtt-clients/mqtt-clients.module.ts";
import type {
  LocalMessage,
  LocalTopics,
  MqttTopics,
  RefusedMessages,
  TopicState,
} from "../../modules/mqtt-clients/mqtt-clients.types.ts";
import type { ClientPasswords } from "../../platform/secrets/client-passwords.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { MqttServer, PublishedMessage } from "../mqtt.types.ts";
import { MqttClientSignIn } from "../sign-in/mqtt-client-sign-in.ts";

/** Max. topics kept for one tenant. The least recently used ones are dropped. */
const TOPICS_MAX = 5_000;
const PAYLOAD_BYTES_MAX = 4_096;
/** Max. characters of names and bytes of payloads in total: a name may have 65,535. */
const BYTES_MAX = 16 * 1024 * 1024;
/** Time constant of the rate. */
const RATE_MS = 10_000;

interface Topic extends Omit<TopicState, "topic" | "perSecond"> {
  /** Number of messages with exponential decay, from which the rate is computed. */
  readonly weight: number;
  /** Monotonic ms. */
  readonly seenAt: number;
}

interface Topics {
  /** Topics by name, with the newest messages last. */
  readonly byName: Map<string, Topic>;
  bytes: number;
}

function forgetTopic(topics: Topics, name: string): Topic | undefined {
  const topic = topics.byName.get(name);
  if (topic === undefined) return undefined;
  topics.byName.delete(name);
  topics.bytes -= name.length + topic.payload.length;
  return topic;
}

const decayed = (weight: number, elapsedMs: number): number => weight * Math.exp(-elapsedMs / RATE_MS);

/** Newest message of each topic on which the clients of a tenant publish, for the topic browser. */
export class TopicLog {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #tenants = new Map<TenantId, Topics>();

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
  }

  record(tenantId: TenantId, { topic, payload, qos, retain }: PublishedMessage): void {
    const topics = this.#tenants.get(tenantId) ?? { byName: new Map<string, Topic>(), bytes: 0 };
    this.#tenants.set(tenantId, topics);
    const before = forgetTopic(topics, topic);
    const seenAt = this.#clock.monotonic();
    const shown = new Uint8Array(payload.subarray(0, PAYLOAD_BYTES_MAX)); // a copy: the bytes are the sender's
    topics.bytes += topic.length + shown.length;
    topics.byName.set(topic, {
      payload: shown,
      bytes: payload.length,
      qos,
      isRetained: retain ? payload.length > 0 : (before?.isRetained ?? false),
      receivedAt: this.#clock.now(),
      messages: (before?.messages ?? 0) + 1,
      weight: 1 + (before === undefined ? 0 : decayed(before.weight, seenAt - before.seenAt)),
      seenAt,
    });
    for (const name of topics.byName.keys()) {
      if (topics.byName.size <= TOPICS_MAX && topics.bytes <= BYTES_MAX) return;
      forgetTopic(topics, name);
    }
  }

  list(tenantId: TenantId, prefix: string): TopicState[] {
    const now = this.#clock.monotonic();
    const found: TopicState[] = [];
    for (const [topic, { weight, seenAt, ...state }] of this.#tenants.get(tenantId)?.byName ?? []) {
      if (!topic.startsWith(prefix)) continue;
      const perSecond = Math.round((decayed(weight, now - seenAt) / RATE_MS) * 100_000) / 100;
      found.push({ topic, ...state, perSecond });
    }
    return found.sort((a, b) => (a.topic < b.topic ? -1 : 1));
  }

  forget(tenantId: TenantId): void {
    this.#tenants.delete(tenantId);
  }
}

type Take = (message: LocalMessage) => Promise<void>;

interface Follower {
  readonly filters: readonly string[];
  readonly take: Take;
  /** Topics that are followed in addition to the filters; they may change. */
  readonly more?: { has(topic: string): boolean } | undefined;
}

/**
 * Max. messages of a tenant that are processed simultaneously, each counted once per follower. Further messages wait in order, unacknowledged, so
 * their connections are not read; otherwise a client could multiply its messages by the number of integrations.
 */
const IN_WORK_MAX = 1_000;

class Followers {
  readonly followers = new Set<Follower>();
  #inWork = 0;
  readonly #waiting: Array<() => void> = [];

  /** Resolves when all have taken the message. Its payload is valid only during the call. */
  offer(takes: readonly Take[], message: LocalMessage): Promise<void> {
    if (this.#hasRoom() && this.#waiting.length === 0) return this.#begin(takes, message);
    const kept = { ...message, payload: new Uint8Array(message.payload) };
    return new Promise((resolve) => this.#waiting.push(() => resolve(this.#begin(takes, kept))));
  }

  #hasRoom(): boolean {
    return this.#inWork < IN_WORK_MAX;
  }

  #begin(takes: readonly Take[], message: LocalMessage): Promise<void> {
    this.#inWork += takes.length;
    return Promise.all(takes.map((take) => take(message).finally(() => this.#ended()))).then(() => undefined);
  }

  #ended(): void {
    this.#inWork--;
    while (this.#hasRoom() && this.#waiting.length > 0) this.#waiting.shift()?.();
  }
}

/** Functions that take the messages of MQTT clients inside the program: local mappings of integrations. */
export class TopicFollowers {
  readonly #tenants = new Map<TenantId, Followers>();

  /** Adds a follower. Returns the function that removes it. */
  add(tenantId: TenantId, follower: Follower): () => void {
    const ofTenant = this.#tenants.get(tenantId) ?? new Followers();
    this.#tenants.set(tenantId, ofTenant);
    ofTenant.followers.add(follower);
    return () => {
      ofTenant.followers.delete(follower);
      if (ofTenant.followers.size === 0 && this.#tenants.get(tenantId) === ofTenant)
        this.#tenants.delete(tenantId);
    };
  }

  /** Returns `undefined` if nothing follows the topic; otherwise resolves when all have taken the message. */
  offer(tenantId: TenantId, message: LocalMessage): Promise<void> | undefined {
    const ofTenant = this.#tenants.get(tenantId);
    if (ofTenant === undefined) return undefined;
    const takes = [...ofTenant.followers]
      .filter(
        ({ filters, more }) =>
          more?.has(message.topic) || filters.some((filter) => filterMatches(filter, message.topic)),
      )
      .map(({ take }) => take);
    return takes.length === 0 ? undefined : ofTenant.offer(takes, message);
  }
}

/** Summarizes a client's messages refused because of their topics; undefined if there are none. */
function refusedOf(faults: Pick<Faults, "about">, id: string): RefusedMessages | undefined {
  const refused = faults.about({ kind: "mqtt_client", id }).filter(({ code }) => code === "topic.forbidden");
  const [newest] = refused;
  if (newest === undefined) return undefined;
  const messages = refused.reduce((sum, { count }) => sum + count, 0);
  return { messages, topic: newest.where ?? "", refusedAt: newest.lastAt };
}

/** Returns a function that reports faults of applications, with the MQTT client or API key that they are about. */
function faultReporter(
  events: Core["events"],
  credentials: { findAcrossTenants(id: string): { readonly name: string } | undefined },
) {
  const subjectOf = (id: string): FaultSubject => {
    const client = credentials.findAcrossTenants(id);
    return client === undefined ? { kind: "api_key", id } : { kind: "mqtt_client", id, name: client.name };
  };
  return (fault: Fault, applicationId?: string): void => {
    const subject = applicationId === undefined ? fault.subject : subjectOf(applicationId);
    events.emit("fault.occurred", { ...fault, subject });
  };
}

/** Creates the parts for MQTT clients with topics of their own: their sign-in, their routes, and the topics for integrations. */
export function createOwnTopics(
  {
    responses,
    config,
    database,
    clock,
    events,
  }: Pick<Core, "responses" | "config" | "database" | "clock" | "events">,
  deps: {
    readonly mqtt: MqttServer;
    readonly report: ReportRefusal;
    readonly logins: LoginIdentitiesService;
    readonly passwords: ClientPasswords;
    readonly faults: Pick<Faults, "about">;
  },
) {
  const { mqtt, report } = deps;
  const topicLog = new TopicLog(clock);
  const followers = new TopicFollowers();
  const topics: MqttTopics = {
    list: (tenantId, prefix) => topicLog.list(tenantId, prefix),
    connectionsOf: (mqttClientId) => mqtt.connectionsOf(mqttClientId),
    refusedOf: (mqttClientId) => refusedOf(deps.faults, mqttClientId),
    async publish(tenantId, message) {
      await onPublished(tenantId, message);
      await local.publish(tenantId, message);
    },
  };
  const local: LocalTopics = {
    follow: (tenantId, filters, take, more) => followers.add(tenantId, { filters, take, more }),
    retained: (tenantId, filter) => mqtt.applications.retained(tenantId, filter),
    newest: (tenantId) => topicLog.list(tenantId, ""),
    publish: (tenantId, { topic, payload, qos, retain }) =>
      mqtt.applications.publish(tenantId, topic, payload, { qos, retain }),
  };
  function onPublished(tenantId: TenantId, message: PublishedMessage): Promise<void> | undefined {
    topicLog.record(tenantId, message);
    return followers.offer(tenantId, message);
  }
  /** Ends sessions of clients and API keys that no longer exist. They would keep messages, and take those of their groups. */
  function endOrphans(): void {
    for (const credentialId of mqtt.applicationCredentials())
      if (!credentials.isCredential(credentialId)) mqtt.disconnectApplication(credentialId);
  }
  const { credentials, routes } = createMqttClientsModule(
    { responses, database, clock, events },
    { ...deps, topics },
  );
  const signIn = new MqttClientSignIn({
    credentials,
    report,
    messagesPerSecond: config.mqtt_client_messages_per_second,
  });
  events.on("session.ended", ({ sessionId }) => {
    signIn.replaced(sessionId);
    endOrphans(); // a client that is linked to an API key is deleted with it
  });
  events.on("tenant.deleted", ({ tenantId }) => {
    signIn.tenantDeleted(tenantId);
    topicLog.forget(tenantId);
    mqtt.forgetTenant(tenantId);
  });
  return {
    /** Sign-in of MQTT clients. */
    mqttClients: signIn,
    routes,
    /** Topics for integrations. */
    topics: local,
    /** Observers of applications and faults in the server. */
    observers: {
      onPublished,
      report: faultReporter(events, credentials),
    },
    endOrphans,
  };
}
