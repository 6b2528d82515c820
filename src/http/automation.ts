import { Elysia } from "elysia";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import { pipelinesRoutes } from "../modules/pipelines/pipelines.routes.ts";
import type { PipelinesService } from "../modules/pipelines/pipelines.service.ts";
import { schedulerRoutes } from "../modules/scheduler/scheduler.routes.ts";
import type { SchedulerService } from "../modules/scheduler/scheduler.service.ts";

export interface AutomationDeps {
  readonly scheduler: SchedulerService;
  readonly pipelines: PipelinesService;
}

/** What the gateway does by itself: timed jobs, and what telemetry goes through. */
export const automationRoutes = ({ scheduler, pipelines, auth }: AutomationDeps & { auth: AuthPlugin }) =>
  new Elysia().use(schedulerRoutes({ scheduler, auth })).use(pipelinesRoutes({ pipelines, auth }));
