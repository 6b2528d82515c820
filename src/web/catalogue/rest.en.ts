import { accountEn } from "../features/account/texts.en.ts";
import { alarmRulesEn } from "../features/alarm-rules/texts.en.ts";
import { annotationsEn } from "../features/annotations/texts.en.ts";
import { apiKeysEn } from "../features/api-keys/texts.en.ts";
import { attributesEn } from "../features/attributes/texts.en.ts";
import { auditEn } from "../features/audit/texts.en.ts";
import { backupsEn } from "../features/backups/texts.en.ts";
import { codecsEn } from "../features/codecs/texts.en.ts";
import { commandsEn } from "../features/commands/texts.en.ts";
import { connectEn } from "../features/connect/texts.en.ts";
import { dashboardsEn } from "../features/dashboards/texts.en.ts";
import { deviceBulkEn } from "../features/device-bulk/texts.en.ts";
import { deviceImportEn } from "../features/device-import/texts.en.ts";
import { devicePageEn } from "../features/device-page/texts.en.ts";
import { exploreEn } from "../features/explore/texts.en.ts";
import { faultsEn } from "../features/faults/texts.en.ts";
import { gatewaysEn } from "../features/gateways/texts.en.ts";
import { generatorsEn } from "../features/generators/texts.en.ts";
import { integrationsEn } from "../features/integrations/texts.en.ts";
import { maintenanceEn } from "../features/maintenance/texts.en.ts";
import { manualEn } from "../features/manual/texts.en.ts";
import { modbusEn } from "../features/modbus/texts.en.ts";
import { mqttClientsEn } from "../features/mqtt-clients/texts.en.ts";
import { notificationsEn } from "../features/notifications/texts.en.ts";
import { outboxEn } from "../features/outbox/texts.en.ts";
import { pipelinesEn } from "../features/pipelines/texts.en.ts";
import { profilesEn } from "../features/profiles/texts.en.ts";
import { schedulerEn } from "../features/scheduler/texts.en.ts";
import { siteEn } from "../features/site/texts.en.ts";
import { systemEn } from "../features/system/texts.en.ts";
import { telemetryEn } from "../features/telemetry/texts.en.ts";
import { uplinksEn } from "../features/uplinks/texts.en.ts";
import { usersEn } from "../features/users/texts.en.ts";

/** Texts of the screens that are loaded on demand. */
export const restEn = {
  ...accountEn,
  ...alarmRulesEn,
  ...annotationsEn,
  ...apiKeysEn,
  ...attributesEn,
  ...auditEn,
  ...backupsEn,
  ...codecsEn,
  ...commandsEn,
  ...connectEn,
  ...dashboardsEn,
  ...deviceBulkEn,
  ...deviceImportEn,
  ...devicePageEn,
  ...exploreEn,
  ...faultsEn,
  ...gatewaysEn,
  ...generatorsEn,
  ...integrationsEn,
  ...maintenanceEn,
  ...manualEn,
  ...notificationsEn,
  ...outboxEn,
  ...pipelinesEn,
  ...profilesEn,
  ...schedulerEn,
  ...siteEn,
  ...systemEn,
  ...telemetryEn,
  ...uplinksEn,
  ...modbusEn,
  ...mqttClientsEn,
  ...usersEn,
} as const;
