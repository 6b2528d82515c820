import { accountDe } from "../features/account/texts.de.ts";
import { alarmRulesDe } from "../features/alarm-rules/texts.de.ts";
import { annotationsDe } from "../features/annotations/texts.de.ts";
import { apiKeysDe } from "../features/api-keys/texts.de.ts";
import { attributesDe } from "../features/attributes/texts.de.ts";
import { auditDe } from "../features/audit/texts.de.ts";
import { backupsDe } from "../features/backups/texts.de.ts";
import { codecsDe } from "../features/codecs/texts.de.ts";
import { commandsDe } from "../features/commands/texts.de.ts";
import { connectDe } from "../features/connect/texts.de.ts";
import { dashboardsDe } from "../features/dashboards/texts.de.ts";
import { deviceBulkDe } from "../features/device-bulk/texts.de.ts";
import { deviceImportDe } from "../features/device-import/texts.de.ts";
import { devicePageDe } from "../features/device-page/texts.de.ts";
import { exploreDe } from "../features/explore/texts.de.ts";
import { faultsDe } from "../features/faults/texts.de.ts";
import { gatewaysDe } from "../features/gateways/texts.de.ts";
import { generatorsDe } from "../features/generators/texts.de.ts";
import { integrationsDe } from "../features/integrations/texts.de.ts";
import { maintenanceDe } from "../features/maintenance/texts.de.ts";
import { manualDe } from "../features/manual/texts.de.ts";
import { modbusDe } from "../features/modbus/texts.de.ts";
import { mqttClientsDe } from "../features/mqtt-clients/texts.de.ts";
import { notificationsDe } from "../features/notifications/texts.de.ts";
import { outboxDe } from "../features/outbox/texts.de.ts";
import { pipelinesDe } from "../features/pipelines/texts.de.ts";
import { profilesDe } from "../features/profiles/texts.de.ts";
import { schedulerDe } from "../features/scheduler/texts.de.ts";
import { siteDe } from "../features/site/texts.de.ts";
import { systemDe } from "../features/system/texts.de.ts";
import { telemetryDe } from "../features/telemetry/texts.de.ts";
import { uplinksDe } from "../features/uplinks/texts.de.ts";
import { usersDe } from "../features/users/texts.de.ts";
import type { restEn } from "./rest.en.ts";

export const restDe: Readonly<Record<keyof typeof restEn, string>> = {
  ...accountDe,
  ...alarmRulesDe,
  ...annotationsDe,
  ...apiKeysDe,
  ...attributesDe,
  ...auditDe,
  ...backupsDe,
  ...codecsDe,
  ...commandsDe,
  ...connectDe,
  ...dashboardsDe,
  ...deviceBulkDe,
  ...deviceImportDe,
  ...devicePageDe,
  ...exploreDe,
  ...faultsDe,
  ...gatewaysDe,
  ...generatorsDe,
  ...integrationsDe,
  ...maintenanceDe,
  ...manualDe,
  ...notificationsDe,
  ...outboxDe,
  ...pipelinesDe,
  ...profilesDe,
  ...schedulerDe,
  ...siteDe,
  ...systemDe,
  ...telemetryDe,
  ...uplinksDe,
  ...modbusDe,
  ...mqttClientsDe,
  ...usersDe,
};
