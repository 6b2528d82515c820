import type { DeviceId } from "../../lib/core/ids.ts";
import type { JsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { CommandRequest } from "../commands/commands.types.ts";

export const MISFIRES = ["skip", "once"] as const;
/** Policy for times that passed while nothing could run: nothing, or one run for all of them. */
export type Misfire = (typeof MISFIRES)[number];

/** Runs of a tenant that are in progress at a time. The others wait, each with its devices still to be read. */
export const TENANT_RUNS_MAX = 4;

export const RUN_STATUSES = ["RUNNING", "SUCCESS", "FAILED", "PARTIAL", "SKIPPED"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const RUN_TRIGGERS = ["SCHEDULE", "MANUAL"] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

export const TARGET_STATUSES = ["SUCCESS", "FAILED"] as const;

/** When a job runs; times are epoch ms. `timezone` is that of a cron expression, and of screens that show the others. */
export type Schedule =
  | { readonly kind: "cron"; readonly expression: string; readonly timezone: string }
  /** At `anchorAt` and every `everyMs` from there; never before `at` where that is given. */
  | {
      readonly kind: "interval";
      readonly everyMs: number;
      readonly at: number | null;
      readonly anchorAt: number;
      readonly timezone: string;
    }
  | { readonly kind: "once"; readonly at: number; readonly timezone: string };

/** Named devices, or all that are of a type when the job runs. */
export type JobTargets = { readonly deviceIds: readonly DeviceId[] } | { readonly deviceType: string };

export type JobAction = JobTargets &
  (
    | { readonly type: "attributes"; readonly attributes: JsonObject }
    | { readonly type: "command"; readonly command: CommandRequest }
  );

export interface Run {
  /** Number in the order in which runs began, whatever the clock said. */
  readonly sequence: number;
  readonly runId: string;
  readonly jobId: string;
  readonly scheduledFor: number;
  readonly trigger: RunTrigger;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly status: RunStatus;
  readonly error: Text | null;
  /** Times that passed without a run and that this one stands for. */
  readonly missed: number;
  readonly targetCount: number;
  readonly failedCount: number;
  /** Number of times that it was begun: more than once after a crash. */
  readonly attempts: number;
}

export interface RunTarget {
  readonly deviceId: DeviceId;
  /** Name of the device at that time; null if it was deleted. */
  readonly name: string | null;
  readonly status: (typeof TARGET_STATUSES)[number];
  readonly error: Text | null;
  readonly commandId: string | null;
}

/** A device that a job acts on now. */
export interface Target {
  readonly deviceId: DeviceId;
  readonly name: string;
}
