import type { DeviceId } from "../../lib/core/ids.ts";
import type { JsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { CommandRequest } from "../commands/commands.types.ts";

export const MISFIRES = ["skip", "once"] as const;
/** Rule for missed times: no run, or one run for all of them. */
export type Misfire = (typeof MISFIRES)[number];

/** Max. simultaneous runs of a tenant. The others wait, before their devices are read. */
/** Max. devices that a job names. */
export const TARGETS_MAX = 1_000;
export const TENANT_RUNS_MAX = 4;

export const RUN_STATUSES = ["RUNNING", "SUCCESS", "FAILED", "PARTIAL", "SKIPPED"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const RUN_TRIGGERS = ["SCHEDULE", "MANUAL"] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

export const TARGET_STATUSES = ["SUCCESS", "FAILED"] as const;

/** Schedule of a job; times are epoch ms. `timezone` is that of a cron expression, or only for display. */
export type Schedule =
  | { readonly kind: "cron"; readonly expression: string; readonly timezone: string }
  /** At `anchorAt` and every `everyMs` from then; never before `at`, if given. */
  | {
      readonly kind: "interval";
      readonly everyMs: number;
      readonly at: number | null;
      readonly anchorAt: number;
      readonly timezone: string;
    }
  | { readonly kind: "once"; readonly at: number; readonly timezone: string };

/** Named devices, or all devices of a type at the time of the run. */
export type JobTargets = { readonly deviceIds: readonly DeviceId[] } | { readonly deviceType: string };

export type JobAction = JobTargets &
  (
    | { readonly type: "attributes"; readonly attributes: JsonObject }
    | { readonly type: "command"; readonly command: CommandRequest }
  );

export interface Run {
  /** Order in which runs started, independent of the clock. */
  readonly sequence: number;
  readonly runId: string;
  readonly jobId: string;
  readonly scheduledFor: number;
  readonly trigger: RunTrigger;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly status: RunStatus;
  readonly error: Text | null;
  /** Number of missed times that this run replaces. */
  readonly missed: number;
  readonly targetCount: number;
  readonly failedCount: number;
  /** Number of starts; more than one after a crash. */
  readonly attempts: number;
}

export interface RunTarget {
  readonly deviceId: DeviceId;
  /** Name of the device at the time of the run; null if it was deleted. */
  readonly name: string | null;
  readonly status: (typeof TARGET_STATUSES)[number];
  readonly error: Text | null;
  readonly commandId: string | null;
}

/** Current target device of a job. */
export interface Target {
  readonly deviceId: DeviceId;
  readonly name: string;
}
