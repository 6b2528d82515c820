import { conflict, forbidden, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const jobNotFound = () => notFound("job.not_found");
export const runNotFound = () => notFound("job.run_not_found");
export const scheduleInvalid = (field: string, rule: Text) =>
  invalid("job.schedule_invalid", { field, rule });
export const actionInvalid = (field: string, rule: Text) => invalid("job.action_invalid", { field, rule });
export const neverRuns = () => invalid("job.never_runs");
export const noTimeLeft = () => conflict("job.no_time_left");
export const alreadyRunning = () => conflict("job.running");
export const schedulerOff = () => conflict("job.scheduler_off");
export const notAllDevices = () => forbidden("job.not_granted");
