import { t } from "elysia";
import { iso } from "../../lib/time/iso-time.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { newestFirst, pageQuery, searchQuery } from "../api/lists.schemas.ts";
import { listHeaders, sendPage, toPage } from "../api/lists.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { isoTime } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { jobResource } from "./scheduler.resource.ts";
import {
  LIMITED_ACCESS,
  previewBody,
  runBody,
  runStatus,
  targetBody,
  targetStatus,
} from "./scheduler.schemas.ts";
import type { SchedulerService, SeenJob } from "./scheduler.service.ts";
import type { Target } from "./scheduler.types.ts";
import { jobToWire, runToWire, statusOf, targetToWire } from "./scheduler.wire.ts";

const PREVIEW_DEFAULT = 5;
/** Separates the devices of an action, which the audit log hides from readers who may not see them. */
function auditedOf({ action, hiddenTargets: _, ...job }: ReturnType<typeof jobToWire>) {
  if ("deviceType" in action) return { ...job, action };
  const { deviceIds, ...subject } = action;
  return { ...job, action: subject, deviceIds };
}

interface SchedulerRoutesDeps {
  readonly scheduler: SchedulerService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const schedulerRoutes = ({ scheduler, responses, auth }: SchedulerRoutesDeps) => {
  const read = ({ principal }: AuditContext, id: string) =>
    auditedOf(jobToWire(scheduler.get(principal, id)));
  return resourceRoutes(jobResource, {
    service: {
      ...scheduler,
      get: (principal, id) => ({
        ...scheduler.get(principal, id),
        devices: scheduler.listDevices(principal, id),
      }),
    },
    toWire: ({ devices, ...job }: SeenJob & { devices?: Target[] }) => ({
      ...jobToWire(job),
      ...(devices !== undefined && { devices }),
    }),
    longList: {
      responses,
      async read(principal) {
        const { keys, read: readJob } = await scheduler.read(principal);
        return { keys: keys.map((job) => ({ ...job, status: statusOf(job) })), read: readJob };
      },
    },
    read,
    actions: {
      start: {
        operationId: "startJob",
        summary: "Start a job",
        description: "Times missed while it was paused are skipped.",
        errors: { ...LIMITED_ACCESS, 409: "The schedule has no time in the future." },
        run: scheduler.start,
      },
      pause: {
        operationId: "pauseJob",
        summary: "Pause a job",
        errors: LIMITED_ACCESS,
        run: scheduler.pause,
      },
    },
    auth,
  })
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
          operationId: "previewSchedule",
          summary: "Preview the next times of a schedule",
          description: "Returns fewer times if the schedule ends.",
          errors: { 400: "The schedule is invalid." },
          example: {
            schedule: { kind: "cron", expression: "0 22 * * 1-5", timezone: "Europe/Berlin" },
            count: 5,
          },
        },
      },
    )
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
          operationId: "runJob",
          summary: "Run a job now",
          description:
            "Runs in addition to its schedule, also while it is paused. The response comes when the run has begun.",
          errors: {
            ...LIMITED_ACCESS,
            409: "The job is already running, or the scheduler is disabled (SCHEDULER_ENABLED).",
          },
        },
      },
    )
    .get(
      "/:jobId/runs",
      async ({ principal, params, query, request }) => {
        const page = toPage(query);
        const found = scheduler.listRuns(principal, params.jobId, {
          ...page,
          status: query.status,
          search: query.search,
        });
        return sendPage({ request, responses }, page, mapRows(found, runToWire));
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
          operationId: "listRuns",
          summary: "List runs of a job, the newest first",
          description:
            "The newest 1,000 runs are kept for 90 days. Results of single devices are kept for the newest runs (2,000 results in all, or those of one run).",
        },
      },
    )
    .get(
      "/:jobId/runs/:runId",
      ({ principal, params }) => runToWire(scheduler.getRun(principal, params.jobId, params.runId)),
      {
        auth: "scheduler:read",
        response: { 200: runBody },
        detail: { operationId: "getRun", summary: "Read a run" },
      },
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
        detail: {
          operationId: "listRunTargets",
          summary: "List a run's results by device, failures first",
        },
      },
    );
};
