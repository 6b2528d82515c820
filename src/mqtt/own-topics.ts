import type { TenantId } from "../lib/ids.ts";
import type { Core } from "../modules/module.types.ts";
import { createMqttClientsModule } from "../modules/mqtt-clients/mqtt-clients.module.ts";
import type { MqttTopics } from "../modules/mqtt-clients/mqtt-clients.types.ts";
import type { ReportRefusal } from "../modules/refusals/refusals.types.ts";
import { createClientPasswords } from "../platform/client-passwords.ts";
import type { MqttServer, PublishedMessage } from "./mqtt.types.ts";
import { MqttClientSignIn } from "./mqtt-client-sign-in.ts";
import { TopicLog } from "./topic-log.ts";

/** Clients with topics of their own: who they are, and what people see and do on these topics. */
export function createOwnTopics(
  { database, clock, events }: Pick<Core, "database" | "clock" | "events">,
  { mqtt, report }: { mqtt: () => MqttServer; report: ReportRefusal },
) {
  const topicLog = new TopicLog(clock);
  const passwords = createClientPasswords({ clock });
  const topics: MqttTopics = {
    list: (tenantId, prefix) => topicLog.list(tenantId, prefix),
    connectionsOf: (mqttClientId) => mqtt().connectionsOf(mqttClientId),
    async publish(tenantId, { topic, payload, qos, retain }) {
      topicLog.record(tenantId, { topic, payload, qos, retain });
      await mqtt().applications.publish(tenantId, topic, payload, { qos, retain });
    },
  };
  const { credentials, routes } = createMqttClientsModule({ database, clock, events }, { passwords, topics });
  const signIn = new MqttClientSignIn({ credentials, passwords, clock, report });
  events.on("tenant.deleted", ({ tenantId }) => {
    signIn.tenantDeleted(tenantId);
    topicLog.forget(tenantId);
    mqtt().forgetTenant(tenantId);
  });
  return {
    signIn,
    routes,
    onPublished: (tenantId: TenantId, message: PublishedMessage) => topicLog.record(tenantId, message),
  };
}
