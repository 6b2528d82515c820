import { inEnglish } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { ShownSchedule } from "./scheduler.schemas.ts";
import type { SeenJob, SeenRun } from "./scheduler.service.ts";
import type { RunTarget, Schedule } from "./scheduler.types.ts";

function scheduleToWire(schedule: Schedule): ShownSchedule {
  const { timezone } = schedule;
  if (schedule.kind === "cron") return { kind: "cron", expression: schedule.expression, timezone };
  if (schedule.kind === "once") return { kind: "once", at: iso(schedule.at), timezone };
  const { everyMs, at } = schedule;
  return { kind: "interval", everyMs, ...(at !== null && { at: iso(at) }), timezone };
}

export function statusOf({
  enabled,
  nextRunAt,
}: Pick<Partial<SeenJob>, "enabled" | "nextRunAt">): "active" | "paused" | "completed" {
  if (!enabled) return "paused";
  return nextRunAt === null ? "completed" : "active";
}

export const jobToWire = (job: SeenJob) => ({
  jobId: job.jobId,
  name: job.name,
  enabled: job.enabled,
  status: statusOf(job),
  schedule: scheduleToWire(job.schedule),
  action: job.action,
  misfire: job.misfire,
  nextRunAt: iso(job.nextRunAt),
  lastRunAt: iso(job.lastRunAt),
  lastStatus: job.lastStatus,
  hiddenTargets: job.hiddenTargets,
  createdAt: iso(job.createdAt),
  updatedAt: iso(job.updatedAt),
});

const errorToWire = (error: Text | null) => ({
  error: error === null ? null : inEnglish(error),
  errorText: error,
});

export const targetToWire = ({ error, ...target }: RunTarget) => ({ ...target, ...errorToWire(error) });

export const runToWire = (run: SeenRun) => ({
  runId: run.runId,
  jobId: run.jobId,
  scheduledFor: iso(run.scheduledFor),
  trigger: run.trigger,
  startedAt: iso(run.startedAt),
  finishedAt: iso(run.finishedAt),
  status: run.status,
  ...(run.isWaiting && { waiting: true as const }),
  ...errorToWire(run.error),
  missed: run.missed,
  targetCount: run.targetCount,
  failedCount: run.failedCount,
  hiddenTargets: run.hiddenTargets,
  targets: run.targets.map(targetToWire),
});
