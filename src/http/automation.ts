import { Elysia } from "elysia";
import type { TenantId } from "../lib/ids.ts";
import { alarmRulesRoutes } from "../modules/alarms/alarm-rules.routes.ts";
import type { AlarmRulesService } from "../modules/alarms/alarm-rules.service.ts";
import { alarmsRoutes } from "../modules/alarms/alarms.routes.ts";
import type { AlarmsService } from "../modules/alarms/alarms.service.ts";
import { codecsRoutes } from "../modules/codecs/codecs.routes.ts";
import type { CodecsService } from "../modules/codecs/codecs.service.ts";
import type { Endpoints } from "../modules/connectivity/connectivity.service.ts";
import { dashboardsRoutes } from "../modules/dashboards/dashboards.routes.ts";
import type { DashboardsService } from "../modules/dashboards/dashboards.service.ts";
import { sharesRoutes } from "../modules/dashboards/shares.routes.ts";
import type { SharesService } from "../modules/dashboards/shares.service.ts";
import { demoPlantRoutes } from "../modules/demo-plant/demo-plant.routes.ts";
import type { DemoPlantService } from "../modules/demo-plant/demo-plant.service.ts";
import { downlinksRoutes } from "../modules/downlinks/downlinks.routes.ts";
import type { DownlinksService } from "../modules/downlinks/downlinks.service.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import type { BridgeFleet } from "../modules/integrations/bridge/bridge-fleet.ts";
import type { IntegrationEventsService } from "../modules/integrations/integration-events.service.ts";
import { integrationsRoutes } from "../modules/integrations/integrations.routes.ts";
import type { IntegrationsService } from "../modules/integrations/integrations.service.ts";
import { webhooksRoutes } from "../modules/integrations/webhooks.routes.ts";
import type { WebhooksService } from "../modules/integrations/webhooks.service.ts";
import { maintenanceRoutes } from "../modules/maintenance/maintenance.routes.ts";
import type { MaintenanceService } from "../modules/maintenance/maintenance.service.ts";
import { notificationsRoutes } from "../modules/notifications/notifications.routes.ts";
import type { NotificationsService } from "../modules/notifications/notifications.service.ts";
import { deliveriesRoutes } from "../modules/pipelines/deliveries.routes.ts";
import type { DeliveriesService } from "../modules/pipelines/deliveries.service.ts";
import { pipelinesRoutes } from "../modules/pipelines/pipelines.routes.ts";
import type { PipelinesService } from "../modules/pipelines/pipelines.service.ts";
import { ruleChainsRoutes } from "../modules/rule-chains/rule-chains.routes.ts";
import type { RuleChainsService } from "../modules/rule-chains/rule-chains.service.ts";
import { schedulerRoutes } from "../modules/scheduler/scheduler.routes.ts";
import type { SchedulerService } from "../modules/scheduler/scheduler.service.ts";
import type { Clock } from "../platform/clock.ts";

export interface AutomationDeps {
  readonly scheduler: SchedulerService;
  readonly pipelines: PipelinesService;
  readonly deliveries: DeliveriesService;
  readonly alarms: AlarmsService;
  readonly alarmRules: AlarmRulesService;
  readonly maintenance: MaintenanceService;
  readonly notifications: NotificationsService;
  readonly ruleChains: RuleChainsService;
  readonly dashboards: DashboardsService;
  readonly shares: SharesService;
  readonly demoPlant: DemoPlantService;
}

export interface IntegrationsDeps {
  readonly integrations: IntegrationsService;
  readonly integrationEvents: IntegrationEventsService;
  readonly webhooks: WebhooksService;
  readonly codecs: CodecsService;
  readonly bridgeOf: BridgeFleet["stateOf"];
  readonly hasWebhookSecret: (tenantId: TenantId) => boolean;
  readonly downlinks: DownlinksService;
  readonly endpointsFor: (requestUrl: string) => Endpoints;
  readonly clock: Clock;
}

/** What comes from other networks and programs. */
export const integratedRoutes = (deps: IntegrationsDeps & { auth: AuthPlugin }) =>
  new Elysia()
    .use(codecsRoutes(deps))
    .use(integrationsRoutes(deps))
    .use(downlinksRoutes(deps))
    .use(webhooksRoutes(deps));

/** What the gateway does by itself: timed jobs, what telemetry goes through, and what is held against it. */
export const automationRoutes = (deps: AutomationDeps & { auth: AuthPlugin }) =>
  new Elysia()
    .use(schedulerRoutes(deps))
    .use(pipelinesRoutes(deps))
    .use(deliveriesRoutes(deps))
    .use(alarmsRoutes(deps))
    .use(alarmRulesRoutes(deps))
    .use(maintenanceRoutes(deps))
    .use(notificationsRoutes(deps))
    .use(ruleChainsRoutes(deps))
    .use(dashboardsRoutes(deps))
    .use(sharesRoutes(deps))
    .use(demoPlantRoutes(deps));
