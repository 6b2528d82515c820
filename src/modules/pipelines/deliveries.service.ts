import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { RowPage } from "../../platform/database/row-list.ts";
import { deliveryNotFound } from "../outbound/outbound.errors.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { OutboundEntry } from "../outbound/outbound.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { pipelineNotFound } from "./pipelines.errors.ts";
import type { PipelinesRepository } from "./pipelines.repository.ts";
import type { StepTarget } from "./step.types.ts";
import { compileStoredSteps } from "./step-engine.ts";
import { webhookTarget } from "./steps/webhook-forward.ts";

type DeliveryState = "waiting" | "dead";

const stateOf = { waiting: "WAITING", dead: "DEAD" } as const;

/** Creates the service for undelivered webhooks of pipelines. Because bodies contain telemetry, it is `forbidden` without access to all devices. */
export function createDeliveriesService(deps: {
  repository: Pick<PipelinesRepository, "find">;
  outbound: OutboundService;
}) {
  const { repository, outbound } = deps;

  function sourceOf({ tenantId }: Principal, pipelineId: string) {
    if (repository.find(tenantId, pipelineId) === undefined) throw pipelineNotFound();
    return { kind: "pipeline", id: pipelineId } as const;
  }

  /**
   * Returns the new targets of dead letters. Most fail because of a wrong URL or header: they are resent to the step that now has the same URL, or
   * the only webhook step; otherwise to the original target.
   */
  function targetNow(tenantId: TenantId, pipelineId: string): (url: string) => StepTarget | undefined {
    const steps = compileStoredSteps(repository.find(tenantId, pipelineId)?.steps ?? []);
    const targets = steps.flatMap(
      ({ type, fields }) =>
        type === "webhook_forward" ? [webhookTarget(fields as Parameters<typeof webhookTarget>[0])] : [], // just checked
    );
    return (url) =>
      targets.find((target) => target.url === url) ?? (targets.length === 1 ? targets[0] : undefined);
  }

  function find(principal: Principal, deliveryId: string) {
    const entry = outbound.get(principal.tenantId, deliveryId);
    // Belongs to another part of the gateway, which lists it itself.
    if (entry.source.kind !== "pipeline") throw deliveryNotFound();
    ensureAllDevices(principal, detail("action.see_deliveries"));
    return entry;
  }

  return {
    list(
      principal: Principal,
      {
        pipelineId,
        state,
        ...page
      }: { pipelineId?: string; state?: DeliveryState; search?: string; limit: number; offset: number },
    ): RowPage<OutboundEntry> {
      ensureAllDevices(principal, detail("action.see_deliveries"));
      const source =
        pipelineId === undefined ? ({ kind: "pipeline" } as const) : sourceOf(principal, pipelineId);
      return outbound.list(principal.tenantId, { source, state: state && stateOf[state], ...page });
    },
    get: find,
    replay(principal: Principal, deliveryId: string): OutboundEntry {
      const { source } = find(principal, deliveryId);
      return outbound.replay(principal.tenantId, deliveryId, targetNow(principal.tenantId, source.id));
    },
    /** Resends a pipeline's dead letters. Returns their number. */
    async replayAll(principal: Principal, pipelineId: string): Promise<number> {
      const source = sourceOf(principal, pipelineId);
      ensureAllDevices(principal, detail("action.send_webhooks_again"));
      return outbound.replayAll(principal.tenantId, source, targetNow(principal.tenantId, pipelineId));
    },
    delete(principal: Principal, deliveryId: string): void {
      find(principal, deliveryId);
      outbound.delete(principal.tenantId, deliveryId);
    },
    async deleteAll(principal: Principal, pipelineId: string, state?: DeliveryState): Promise<number> {
      const source = sourceOf(principal, pipelineId);
      ensureAllDevices(principal, detail("action.delete_webhooks"));
      return outbound.deleteAll(principal.tenantId, source, state && stateOf[state]);
    },
  };
}

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;
