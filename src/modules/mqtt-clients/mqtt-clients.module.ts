import type { ClientPasswords } from "../../platform/secrets/client-passwords.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { LoginIdentitiesService } from "../login-identities/login-identities.service.ts";
import type { Core } from "../module.types.ts";
import { createMqttClientsRepository } from "./mqtt-clients.repository.ts";
import { mqttClientsRoutes, mqttTopicsRoutes } from "./mqtt-clients.routes.ts";
import { MqttClientsService } from "./mqtt-clients.service.ts";
import type { MqttTopics } from "./mqtt-clients.types.ts";

/** Creates the MQTT clients that use their own topics. */
export function createMqttClientsModule(
  { responses, database, clock, events }: Pick<Core, "responses" | "database" | "clock" | "events">,
  {
    logins,
    passwords,
    topics,
  }: { logins: LoginIdentitiesService; passwords: ClientPasswords; topics: MqttTopics },
) {
  const repository = createMqttClientsRepository(database, clock);
  const { transact } = database;
  const clients = new MqttClientsService({ repository, logins, passwords, topics, transact, events });
  return {
    credentials: repository,
    routes: (auth: AuthPlugin) => [
      mqttClientsRoutes({ clients, responses, auth }),
      mqttTopicsRoutes({ clients, auth }),
    ],
  };
}
