import type { Text } from "../../lib/texts/text.ts";
import type { Step } from "./step-engine.ts";

/** Scope: devices that match every given list. */
export interface PipelineScope {
  readonly deviceIds?: readonly string[];
  readonly deviceTypes?: readonly string[];
  readonly profileIds?: readonly string[];
}

export interface PipelineVersion {
  readonly version: number;
  readonly scope: PipelineScope;
  readonly steps: readonly Step[];
  /** Email address or name of the key. */
  readonly by: string;
  readonly createdAt: number;
}

/** Counts since the last write. */
export interface PipelineCounts {
  messagesIn: number;
  messagesOut: number;
  messagesDropped: number;
  errors: number;
  lastError: Text | null;
  lastErrorAt: number | null;
}
