import { detail } from "../../../lib/core/domain-error.ts";
import { ensureAllDevices } from "../../tenants/tenants.errors.ts";
import type { Principal } from "../../users/users.types.ts";
import type { InboundPipeline, Taken } from "../inbound/inbound-pipeline.ts";
import { eventNotFound, notReplayable } from "../integrations.errors.ts";
import type { Integration } from "../integrations.resource.ts";
import type { IntegrationsService } from "../integrations.service.ts";
import type { IntegrationEvent } from "../integrations.types.ts";
import type { EventLog } from "./event-log.ts";
import type { EventFilter, IntegrationEventsRepository } from "./integration-events.repository.ts";

/** Max. messages per replay. */
const REPLAYED_MAX = 1_000;

/** Events of integrations. Only users who see all devices may read them, because events show messages of any device. */
export function createIntegrationEventsService(deps: {
  repository: IntegrationEventsRepository;
  integrations: Pick<IntegrationsService, "ensure" | "readyOf">;
  eventLog: Pick<EventLog, "flush" | "forget" | "setReplayed">;
  pipeline: Pick<InboundPipeline, "resume">;
}) {
  const { repository, integrations, eventLog } = deps;
  /** Events being replayed, so that none is replayed twice simultaneously. */
  const inFlight = new Set<string>();

  function forEvents(principal: Principal, integrationId: string): Integration {
    const integration = integrations.ensure(principal, integrationId);
    ensureAllDevices(principal, detail("action.see_integration_events"));
    eventLog.flush();
    return integration;
  }

  function findEvent(integration: Integration, eventId: string): IntegrationEvent {
    const event = repository.find(integration.integrationId, eventId);
    if (event === undefined) throw eventNotFound();
    return event;
  }

  async function again(integration: Integration, event: IntegrationEvent): Promise<Taken> {
    inFlight.add(event.eventId);
    try {
      const taken = await deps.pipeline.resume(integrations.readyOf(integration), event);
      eventLog.setReplayed(event.eventId);
      eventLog.flush();
      return taken;
    } finally {
      inFlight.delete(event.eventId);
    }
  }

  return {
    async list(
      principal: Principal,
      integrationId: string,
      { search = "", ...filter }: EventFilter & { readonly search?: string | undefined },
    ): Promise<{ items: IntegrationEvent[]; total: number }> {
      const { integrationId: id } = forEvents(principal, integrationId);
      return search === "" ? repository.list(id, filter) : repository.search(id, search, filter);
    },
    get: (principal: Principal, integrationId: string, eventId: string): IntegrationEvent =>
      findEvent(forEvents(principal, integrationId), eventId),
    deleteAll(principal: Principal, integrationId: string): void {
      const integration = forEvents(principal, integrationId);
      repository.deleteAll(integration.integrationId);
      eventLog.forget(integration.integrationId);
    },
    /** Replays the message of an event with the current settings. */
    async replay(principal: Principal, integrationId: string, eventId: string): Promise<Taken> {
      const integration = forEvents(principal, integrationId);
      const event = findEvent(integration, eventId);
      if (!event.isReplayable || event.direction === "OUT" || inFlight.has(eventId)) throw notReplayable();
      return again(integration, event);
    },
    /** Replays all failed messages, oldest first. */
    async replayAll(
      principal: Principal,
      integrationId: string,
    ): Promise<{ stored: number; failed: number }> {
      const integration = forEvents(principal, integrationId);
      const sums = { stored: 0, failed: 0 };
      for (const eventId of repository.listReplayable(integration.integrationId, REPLAYED_MAX)) {
        const event = repository.find(integration.integrationId, eventId);
        // Deleted, or worked on again by somebody else, meanwhile.
        if (event?.isReplayable !== true || inFlight.has(eventId)) continue;
        const { status } = await again(integration, event);
        if (status === "ERROR") sums.failed++;
        else sums.stored++;
      }
      return sums;
    },
  };
}

export type IntegrationEventsService = ReturnType<typeof createIntegrationEventsService>;
