import { automationErrors } from "./automation-errors.ts";
import { backupErrors } from "./backup-errors.ts";
import { devicesErrors } from "./devices-errors.ts";
import { errorDetails } from "./error-details.ts";
import { eventTexts } from "./events.ts";
import { faultTexts } from "./faults.ts";
import { integrationsErrors } from "./integrations-errors.ts";
import { lineProtocolErrors } from "./line-protocol-errors.ts";
import { lossTexts } from "./losses.ts";
import { modbusErrors } from "./modbus-errors.ts";
import { mqttErrors } from "./mqtt-errors.ts";
import { reasons } from "./reasons.ts";
import { refusalTexts } from "./refusals.ts";
import { rules } from "./rules.ts";
import { siteErrors } from "./site-errors.ts";
import { telemetryErrors } from "./telemetry-errors.ts";
import { updateErrors } from "./update-errors.ts";
import { uplinkErrors } from "./uplink-errors.ts";
import { userErrors } from "./user-errors.ts";

/** Texts of errors and events by code, in English. Each language has the same codes with the same places. */
export const englishErrors = {
  ...userErrors,
  ...devicesErrors,
  ...telemetryErrors,
  ...automationErrors,
  ...integrationsErrors,
  ...modbusErrors,
  ...mqttErrors,
  ...siteErrors,
  ...backupErrors,
  ...updateErrors,
  ...uplinkErrors,
  ...lineProtocolErrors,
  ...errorDetails,
  ...rules,
  ...reasons,
  ...refusalTexts,
  ...faultTexts,
  ...lossTexts,
  ...eventTexts,
} as const;

export type ErrorCode = keyof typeof englishErrors;
