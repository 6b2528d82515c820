import { deliveryNotFound } from "../outbound/outbound.errors.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { OutboundEntry } from "../outbound/outbound.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { pipelineNotFound } from "./pipelines.errors.ts";
import type { PipelinesRepository } from "./pipelines.repository.ts";

type DeliveryState = "waiting" | "dead";

const stateOf = { waiting: "WAITING", dead: "DEAD" } as const;

/** What pipelines send to other programs and have not delivered yet. Bodies carry telemetry: `forbidden` without all devices. */
export interface DeliveriesService {
  list(
    principal: Principal,
    filter: { pipelineId?: string; state?: DeliveryState; limit: number; offset: number },
  ): { items: OutboundEntry[]; total: number };
  get(principal: Principal, deliveryId: string): OutboundEntry & { readonly body: string };
  replay(principal: Principal, deliveryId: string): OutboundEntry;
  /** How many. */
  replayAll(principal: Principal, pipelineId: string): number;
  delete(principal: Principal, deliveryId: string): void;
  deleteAll(principal: Principal, pipelineId: string, state?: DeliveryState): number;
}

export function createDeliveriesService(deps: {
  repository: Pick<PipelinesRepository, "find">;
  outbound: OutboundService;
}): DeliveriesService {
  const { repository, outbound } = deps;

  function sourceOf({ tenantId }: Principal, pipelineId: string) {
    if (repository.find(tenantId, pipelineId) === undefined) throw pipelineNotFound();
    return { kind: "pipeline", id: pipelineId } as const;
  }

  function find(principal: Principal, deliveryId: string) {
    const entry = outbound.get(principal.tenantId, deliveryId);
    // Of other parts of the gateway, which show theirs themselves.
    if (entry.source.kind !== "pipeline") throw deliveryNotFound();
    ensureAllDevices(principal, "see what is sent to other programs");
    return entry;
  }

  return {
    list(principal, { pipelineId, state, ...page }) {
      ensureAllDevices(principal, "see what is sent to other programs");
      const source =
        pipelineId === undefined ? ({ kind: "pipeline" } as const) : sourceOf(principal, pipelineId);
      return outbound.list(principal.tenantId, { source, state: state && stateOf[state], ...page });
    },
    get: find,
    replay(principal, deliveryId) {
      find(principal, deliveryId);
      return outbound.replay(principal.tenantId, deliveryId);
    },
    replayAll(principal, pipelineId) {
      const source = sourceOf(principal, pipelineId);
      ensureAllDevices(principal, "send webhooks again");
      return outbound.replayAll(principal.tenantId, source);
    },
    delete(principal, deliveryId) {
      find(principal, deliveryId);
      outbound.delete(principal.tenantId, deliveryId);
    },
    deleteAll(principal, pipelineId, state) {
      const source = sourceOf(principal, pipelineId);
      ensureAllDevices(principal, "delete webhooks");
      return outbound.deleteAll(principal.tenantId, source, state && stateOf[state]);
    },
  };
}
