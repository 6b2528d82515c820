import type { EventBus } from "../../platform/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IntegrationsRepository } from "./integrations.repository.ts";

/** Returns a function that publishes that an integration has new events; it does nothing for one that is deleted. */
export function createNewEventsPublisher(deps: {
  repository: Pick<IntegrationsRepository, "find">;
  events: EventBus<DomainEvents>;
}): (integrationId: string) => void {
  const { repository, events } = deps;
  return (integrationId) => {
    const tenantId = repository.find(integrationId)?.tenantId;
    if (tenantId !== undefined) events.emit("integration.events", { tenantId, integrationId });
  };
}
