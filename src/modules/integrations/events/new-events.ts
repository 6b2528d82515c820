import { toText } from "../../../lib/core/domain-error.ts";
import { sampleText } from "../../../lib/strings/sample-text.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { IntegrationsRepository } from "../integrations.repository.ts";
import type { FailedMessage } from "./event-log.ts";

interface PublisherDeps {
  readonly repository: Pick<IntegrationsRepository, "findAcrossTenants">;
  readonly events: EventBus<DomainEvents>;
}

/** Returns a function that publishes new events of an integration; it ignores deleted integrations. */
export function createNewEventsPublisher({ repository, events }: PublisherDeps) {
  return (integrationId: string): void => {
    const tenantId = repository.findAcrossTenants(integrationId)?.tenantId;
    if (tenantId !== undefined) events.emit("integration.events", { tenantId, integrationId });
  };
}

/** Returns a function that reports a failed message. Device tokens in its payload are masked. */
export function createFailureReporter({ repository, events }: PublisherDeps) {
  return ({ integrationId, stage, text, payload, origin }: FailedMessage): void => {
    const integration = repository.findAcrossTenants(integrationId);
    if (integration === undefined) return;
    const { tenantId, name } = integration;
    events.emit("fault.occurred", {
      ...toText(text),
      source: "integration",
      tenantId,
      subject: { kind: "integration", id: integrationId, name },
      where: origin?.topic ?? stage,
      ...(payload !== null && { sample: sampleText(payload) }),
    });
  };
}
