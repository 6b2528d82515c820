import { Elysia, t } from "elysia";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { newestFirst, pageQuery, searchQuery } from "../lists.schemas.ts";
import { listHeaders, toPage, wholeList } from "../lists.ts";
import { isoTime, successBody } from "../wire.schemas.ts";
import {
  createJobBody,
  jobBody,
  jobDetail,
  previewBody,
  runBody,
  runStatus,
  targetBody,
  targetStatus,
  updateJobBody,
} from "./scheduler.schemas.ts";
import type { SchedulerService } from "./scheduler.service.ts";
import { jobToWire, runToWire, targetToWire } from "./scheduler.wire.ts";

const jobList = wholeList({
  sort: ["name", "status", "nextRunAt", "lastRunAt", "createdAt", "updatedAt"],
  search: ["name"],
});

const PREVIEW_DEFAULT = 5;
const limitedAccess = "403 for a job that acts on devices which the caller has no access to.";

/** Timed jobs. */
export const schedulerRoutes = (deps: { scheduler: SchedulerService; auth: AuthPlugin }) => {
  const { scheduler } = deps;
  // The devices on their own: the log keeps those from readers who may not see them.
  const read = ({ principal }: AuditContext, id: string) => {
    const { action, hiddenTargets: _, ...job } = jobToWire(scheduler.get(principal, id));
    if ("deviceType" in action) return { ...job, action };
    const { deviceIds, ...subject } = action;
    return { ...job, action: subject, deviceIds };
  };
  return new Elysia({ prefix: "/api/scheduler", tags: ["scheduler"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, set, request }) => {
        return jobList.page({ query, request, set }, scheduler.list(principal).map(jobToWire));
      },
      {
        auth: "scheduler:read",
        query: t.Object(jobList.fields),
        response: { 200: t.Array(jobBody) },
        detail: {
          summary: "List jobs, by name",
          description:
            "Callers with access to some devices see the jobs that act on at least one of them. The other devices are left out and counted (`hiddenTargets`).",
        },
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        set.status = 201;
        return jobToWire(scheduler.create(principal, body));
      },
      {
        auth: "scheduler:write",
        audit: { action: "job.create", target: "job", created: "jobId", read },
        body: createJobBody,
        response: { 201: jobBody },
        detail: {
          summary: "Create a job",
          description:
            "It sets SHARED attributes of devices, or sends them a command, at times of a cron expression, at an interval, or once. The gateway checks for due jobs every 15 s: a run begins up to 15 s after its time. 400 for a schedule without a time in the future, 404 for a device that does not exist, 403 for a device type without access to all devices, 409 when the tenant has 1,000 jobs.",
        },
      },
    )
    .post(
      "/preview-next",
      ({ body }) => {
        const times = scheduler.preview(body.schedule, body.count ?? PREVIEW_DEFAULT);
        return { next: times.map((timeMs) => iso(timeMs)) };
      },
      {
        auth: "scheduler:read",
        audit: { none: "it only reckons" },
        body: previewBody,
        response: { 200: t.Object({ next: t.Array(isoTime) }) },
        detail: {
          summary: "Preview the next times of a schedule",
          description: "Returns fewer times if the schedule ends. 400 for an invalid schedule.",
        },
      },
    )
    .get(
      "/:jobId",
      ({ principal, params }) => ({
        ...jobToWire(scheduler.get(principal, params.jobId)),
        devices: scheduler.listDevices(principal, params.jobId),
      }),
      { auth: "scheduler:read", response: { 200: jobDetail }, detail: { summary: "Read a job" } },
    )
    .patch(
      "/:jobId",
      ({ principal, params, body }) => jobToWire(scheduler.update(principal, params.jobId, body)),
      {
        auth: "scheduler:write",
        audit: { action: "job.update", target: "job", read },
        body: updateJobBody,
        response: { 200: jobBody },
        detail: {
          summary: "Change a job",
          description: `Schedule and action are replaced as a whole. 400 for a schedule without a time in the future; 409 to enable a job without one. ${limitedAccess}`,
        },
      },
    )
    .delete(
      "/:jobId",
      ({ principal, params }) => {
        scheduler.delete(principal, params.jobId);
        return { success: true };
      },
      {
        auth: "scheduler:write",
        audit: { action: "job.delete", target: "job", read },
        response: { 200: successBody },
        detail: { summary: "Delete a job with its runs", description: limitedAccess },
      },
    )
    .post("/:jobId/start", ({ principal, params }) => jobToWire(scheduler.start(principal, params.jobId)), {
      auth: "scheduler:write",
      audit: { action: "job.start", target: "job", read },
      response: { 200: jobBody },
      detail: {
        summary: "Start a job",
        description: `Times that passed while it was paused are not made up for. 409 if no time is left. ${limitedAccess}`,
      },
    })
    .post("/:jobId/pause", ({ principal, params }) => jobToWire(scheduler.pause(principal, params.jobId)), {
      auth: "scheduler:write",
      audit: { action: "job.pause", target: "job", read },
      response: { 200: jobBody },
      detail: { summary: "Pause a job", description: limitedAccess },
    })
    .post(
      "/:jobId/run",
      ({ principal, params, set }) => {
        set.status = 201;
        return runToWire(scheduler.run(principal, params.jobId));
      },
      {
        auth: "scheduler:write",
        audit: { action: "job.run", target: "job", read },
        response: { 201: runBody },
        detail: {
          summary: "Run a job now",
          description: `Runs in addition to its schedule, also while it is paused. The answer comes when the run has begun. 409 while a run is in progress, and if the scheduler is disabled (SCHEDULER_ENABLED). ${limitedAccess}`,
        },
      },
    )
    .get(
      "/:jobId/runs",
      ({ principal, params, query, set, request }) => {
        const page = toPage(query);
        const { items, total } = scheduler.listRuns(principal, params.jobId, {
          ...page,
          status: query.status,
          search: query.search,
        });
        Object.assign(set.headers, listHeaders(request.url, { ...page, total }));
        return items.map(runToWire);
      },
      {
        auth: "scheduler:read",
        query: t.Object({
          ...pageQuery,
          search: searchQuery(["the error", "the name of a device"]),
          sort: newestFirst,
          status: t.Optional(runStatus),
        }),
        response: { 200: t.Array(runBody) },
        detail: {
          summary: "List runs of a job, the newest first",
          description:
            "The newest 1,000 runs are kept for 90 days. Results of single devices are kept for the newest runs (2,000 results in all, or those of one run).",
        },
      },
    )
    .get(
      "/:jobId/runs/:runId",
      ({ principal, params }) => runToWire(scheduler.getRun(principal, params.jobId, params.runId)),
      { auth: "scheduler:read", response: { 200: runBody }, detail: { summary: "Read a run" } },
    )
    .get(
      "/:jobId/runs/:runId/targets",
      ({ principal, params, query, set, request }) => {
        const page = toPage(query);
        const { status, search } = query;
        const { items, total } = scheduler.listTargets(principal, params, { ...page, status, search });
        Object.assign(set.headers, listHeaders(request.url, { ...page, total }));
        return items.map(targetToWire);
      },
      {
        auth: "scheduler:read",
        query: t.Object({
          ...pageQuery,
          search: searchQuery(["name", "error"]),
          sort: t.Optional(
            t.Literal("status", { description: "the only order of this list: failures first" }),
          ),
          status: t.Optional(targetStatus),
        }),
        response: { 200: t.Array(targetBody) },
        detail: { summary: "List the devices of a run with their results, failures first" },
      },
    );
};
