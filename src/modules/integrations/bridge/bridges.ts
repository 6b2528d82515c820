import { detail, unavailable } from "../../../lib/core/domain-error.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { BrokerMessage } from "../../../platform/broker/broker.types.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { LocalTopics } from "../../mqtt-clients/mqtt-clients.types.ts";
import type { OutboundReach } from "../../outbound/outbound-reach.types.ts";
import type { AnnouncementRegistry } from "../announcements/announcement-registry.ts";
import type { EventLog } from "../events/event-log.ts";
import { createNewEventsPublisher } from "../events/new-events.ts";
import type { InboundPipeline } from "../inbound/inbound-pipeline.ts";
import { isRunning } from "../inbound/running-integrations.ts";
import type { IntegrationsRepository } from "../integrations.repository.ts";
import type { Integration } from "../integrations.resource.ts";
import type { IntegrationsService } from "../integrations.service.ts";
import { BridgeFleet, type FleetMember } from "./bridge-fleet.ts";

/** Returns a function that stores and reports lost broker connections; the fault log counts each attempt. */
const lossReporter =
  (deps: {
    repository: Pick<IntegrationsRepository, "setState">;
    clock: Clock;
    events: EventBus<DomainEvents>;
  }) =>
  ({ integrationId, tenantId, name, ...current }: Integration, problem: Text): void => {
    const isNew = current.status !== "error" || JSON.stringify(current.lastError) !== JSON.stringify(problem);
    const state = { status: "error", lastError: problem, lastErrorAt: deps.clock.now() } as const;
    if (isNew) deps.repository.setState(integrationId, state);
    const subject = { kind: "integration", id: integrationId, name } as const;
    const fault = detail("fault.integration_disconnected", { reason: problem });
    deps.events.emit("fault.occurred", { ...fault, source: "integration", tenantId, subject });
  };

/** Creates the broker connections: messages go to the inbound pipeline, problems to the integration's status. */
export function createBridges(deps: {
  integrations: Pick<IntegrationsService, "liveOf" | "readyOf">;
  announced: Pick<AnnouncementRegistry, "of">;
  eventLog: Pick<EventLog, "countsOf">;
  repository: Pick<IntegrationsRepository, "findAcrossTenants" | "listStarted" | "setState">;
  pipeline: Pick<InboundPipeline, "take">;
  reach: OutboundReach;
  topics: LocalTopics;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): { fleet: BridgeFleet; reply(integration: Integration, replies: readonly BrokerMessage[]): void } {
  const { integrations, repository, pipeline, clock, events } = deps;
  const log = deps.log.child("bridge");

  function memberOf(integration: Integration): FleetMember {
    const { integrationId, tenantId } = integration;
    const { lastMessageAt } = deps.eventLog.countsOf(integrationId);
    const isNew = (lastMessageAt ?? integration.lastMessageAt) === null;
    const member = { integrationId, tenantId, isRunning: isRunning(integration), isNew };
    try {
      const { mqtt, encoding } = integrations.readyOf(integration).settings;
      return { ...member, settings: mqtt, encoding, announced: deps.announced.of(integration) };
    } catch (error) {
      log.error("preparing an integration failed", { integrationId, error });
      return { ...member, settings: undefined };
    }
  }

  const fleet = new BridgeFleet({
    addresses: deps.reach.addresses,
    authorities: deps.reach.authorities,
    topics: deps.topics,
    list: () => repository.listStarted().map(memberOf),
    find(integrationId) {
      const integration = repository.findAcrossTenants(integrationId);
      return integration && memberOf(integration);
    },
    async take(integrationId, message) {
      const live = integrations.liveOf(integrationId);
      if (live === undefined) throw unavailable("integration.paused");
      await pipeline.take(live, message);
    },
    onProblem(integrationId, problem) {
      const current = repository.findAcrossTenants(integrationId);
      if (current === undefined || !isRunning(current)) return;
      const { status, lastError, lastErrorAt } = current;
      if (problem === null) {
        if (status === "error")
          repository.setState(integrationId, { status: "active", lastError, lastErrorAt });
      } else lossReporter(deps)(current, problem);
    },
    onChange: createNewEventsPublisher({ repository, events }),
    clock,
    random: Math.random,
    log,
  });
  events.on("integration.changed", ({ integrationId }) => fleet.refresh(integrationId));
  events.on("tenant.deleted", () => fleet.refreshAll());
  return {
    fleet,
    reply({ integrationId, tenantId, name }, replies) {
      const subject = { kind: "integration", id: integrationId, name } as const;
      const fault = { ...detail("fault.integration_replies_dropped"), source: "integration" } as const;
      for (const message of replies)
        fleet.reply(integrationId, message).then(
          (isPublished) => isPublished || events.emit("fault.occurred", { ...fault, tenantId, subject }),
          (error) => log.warn("sending a reply failed", { integrationId, error }),
        );
    },
  };
}
