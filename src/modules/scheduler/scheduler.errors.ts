import { conflict, forbidden, invalid, notFound } from "../../lib/domain-error.ts";

export const jobNotFound = () => notFound("job.not_found", "There is no such job.");
export const runNotFound = () => notFound("job.run_not_found", "There is no such run of this job.");
export const scheduleInvalid = (message: string) => invalid("job.schedule_invalid", `schedule.${message}`);
export const actionInvalid = (message: string) => invalid("job.action_invalid", `action.${message}`);
export const neverRuns = () =>
  invalid("job.never_runs", "schedule: it has no time in the future; choose one that comes");
export const noTimeLeft = () =>
  conflict("job.no_time_left", "The schedule of this job has no time left; change it first.");
export const alreadyRunning = () => conflict("job.running", "A run of this job is under way.");
export const schedulerOff = () =>
  conflict("job.scheduler_off", "The scheduler is switched off on this gateway (SCHEDULER_ENABLED).");
export const jobsLimit = (limit: number) =>
  conflict("job.limit", `A tenant has ${limit} jobs at most; delete one first.`);
export const notAllDevices = () =>
  forbidden("job.not_granted", "The job acts on devices that you have no access to.");
