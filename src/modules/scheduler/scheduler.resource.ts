import { conflict } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { jobNotFound } from "./scheduler.errors.ts";
import { createJobBody, jobBody, jobDetail, LIMITED_ACCESS, updateJobBody } from "./scheduler.schemas.ts";
import { schedulerJobs } from "./scheduler.tables.ts";

/** Scheduled jobs. */
export const jobResource = defineResource({
  name: "job",
  table: schedulerJobs,
  key: "jobId",
  path: "/api/scheduler",
  tag: "scheduler",
  permissions: { read: "scheduler:read", write: "scheduler:write" },
  order: { by: "name" },
  list: {
    sort: ["name", "status", "nextRunAt", "lastRunAt", "createdAt", "updatedAt"],
    search: ["name"],
  },
  notFound: jobNotFound,
  limit: { max: 1_000, reached: (limit) => conflict("job.limit", { limit }) },
  schemas: { item: jobBody, detail: jobDetail, create: createJobBody, update: updateJobBody },
  operations: {
    list: {
      summary: "List jobs, by name",
      description:
        "Callers with access to some devices see the jobs that act on at least one of them. The other devices are left out and counted (`hiddenTargets`).",
    },
    create: {
      summary: "Create a job",
      description:
        "A job sets SHARED attributes of devices or sends them a command, at the times of a cron expression, at an interval, or once. The gateway checks for due jobs every 15 s, so a run begins up to 15 s after its time.",
      errors: {
        400: "The schedule has no time in the future.",
        403: "The job acts on a device type, and the caller has no access to all devices.",
        404: "A device does not exist.",
        409: "The tenant already has 1,000 jobs.",
      },
      example: {
        name: "Night mode",
        schedule: { kind: "cron", expression: "0 22 * * 1-5", timezone: "Europe/Berlin" },
        action: {
          type: "attributes",
          deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"],
          attributes: { mode: "night" },
        },
        misfire: "once",
      },
    },
    get: { summary: "Read a job" },
    update: {
      summary: "Change a job",
      description: "Schedule and action are replaced as a whole.",
      errors: {
        ...LIMITED_ACCESS,
        400: "The schedule has no time in the future.",
        409: "The job cannot be enabled: its schedule has no time in the future.",
      },
      example: { enabled: false },
    },
    delete: { summary: "Delete a job with its runs", errors: LIMITED_ACCESS },
  },
});

export type Job = typeof jobResource.$item;
