import type { TenantId } from "../lib/ids.ts";
import type { Faults } from "../modules/faults/faults.service.ts";
import type { Fault, FaultSubject } from "../modules/faults/faults.types.ts";
import type { ReportRefusal } from "../modules/faults/refusals.types.ts";
import type { LoginIdentitiesService } from "../modules/login-identities/login-identities.service.ts";
import type { Core } from "../modules/module.types.ts";
import { createMqttClientsModule } from "../modules/mqtt-clients/mqtt-clients.module.ts";
import type { LocalTopics, MqttTopics, RefusedMessages } from "../modules/mqtt-clients/mqtt-clients.types.ts";
import type { ClientPasswords } from "../platform/client-passwords.ts";
import type { MqttServer, PublishedMessage } from "./mqtt.types.ts";
import { MqttClientSignIn } from "./mqtt-client-sign-in.ts";
import { TopicFollowers } from "./topic-followers.ts";
import { TopicLog } from "./topic-log.ts";

/** Sums up what the log has of a client's messages on topics that are not its own. */
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

/** Creates what MQTT clients with topics of their own need: their sign-in, their routes, and the topics as integrations use them. */
export function createOwnTopics(
  { config, database, clock, events }: Pick<Core, "config" | "database" | "clock" | "events">,
  deps: {
    readonly mqtt: () => MqttServer;
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
    connectionsOf: (mqttClientId) => mqtt().connectionsOf(mqttClientId),
    refusedOf: (mqttClientId) => refusedOf(deps.faults, mqttClientId),
    async publish(tenantId, message) {
      await onPublished(tenantId, message);
      await local.publish(tenantId, message);
    },
  };
  const local: LocalTopics = {
    follow: (tenantId, filters, take, more) => followers.add(tenantId, { filters, take, more }),
    retained: (tenantId, filter) => mqtt().applications.retained(tenantId, filter),
    newest: (tenantId) => topicLog.list(tenantId, ""),
    publish: (tenantId, { topic, payload, qos, retain }) =>
      mqtt().applications.publish(tenantId, topic, payload, { qos, retain }),
  };
  function onPublished(tenantId: TenantId, message: PublishedMessage): Promise<void> | undefined {
    topicLog.record(tenantId, message);
    return followers.offer(tenantId, message);
  }
  /** Ends sessions of clients and API keys that no longer exist. They would keep messages, and take those of their groups. */
  function endOrphans(): void {
    for (const credentialId of mqtt().applicationCredentials())
      if (!credentials.isCredential(credentialId)) mqtt().disconnectApplication(credentialId);
  }
  const { credentials, routes } = createMqttClientsModule({ database, clock, events }, { ...deps, topics });
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
    mqtt().forgetTenant(tenantId);
  });
  return {
    /** Sign-in of MQTT clients. */
    mqttClients: signIn,
    routes,
    /** Topics as integrations use them. */
    topics: local,
    /** What the server tells of applications, and of what goes wrong. */
    observers: {
      onPublished,
      report: faultReporter(events, credentials),
    },
    endOrphans,
  };
}
