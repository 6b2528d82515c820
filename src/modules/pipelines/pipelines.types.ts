import type { TenantId } from "../../lib/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { OutboundCounts } from "../outbound/outbound.types.ts";
import type { Step } from "./step-engine.ts";

export type PipelineStatus = "draft" | "active" | "paused";

/** Scope: the devices that are in every list that is given. */
export interface PipelineScope {
  readonly deviceIds?: readonly string[];
  readonly deviceTypes?: readonly string[];
  readonly profileIds?: readonly string[];
}

export interface Pipeline {
  readonly pipelineId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly description: string;
  readonly status: PipelineStatus;
  /** Active ones run by it, the lowest first. */
  readonly order: number;
  readonly scope: PipelineScope;
  readonly steps: readonly Step[];
  /** Counts the changes of scope and steps. */
  readonly version: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  readonly messagesDropped: number;
  readonly errors: number;
  readonly lastError: Text | null;
  /** Epoch ms, as all times here. */
  readonly lastErrorAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Pipeline for clients, with present counters, the state of its webhooks, and its secrets only named. */
export interface ShownPipeline extends Pipeline {
  readonly webhooks: OutboundCounts;
}

export interface PipelineVersion {
  readonly version: number;
  readonly scope: PipelineScope;
  readonly steps: readonly Step[];
  /** E-mail address or name of the key. */
  readonly by: string;
  readonly createdAt: number;
}

export type PipelineChanges = {
  readonly [K in "name" | "description" | "status" | "order" | "scope"]?: Pipeline[K] | undefined;
} & { readonly steps?: unknown };

/** Describes what happened since it was last written. */
export interface PipelineCounts {
  messagesIn: number;
  messagesOut: number;
  messagesDropped: number;
  errors: number;
  lastError: Text | null;
  lastErrorAt: number | null;
}
