import type { ErrorCode } from "../en/errors.ts";
import { automationErrorsDe } from "./automation-errors.ts";
import { backupErrorsDe } from "./backup-errors.ts";
import { devicesErrorsDe } from "./devices-errors.ts";
import { errorDetailsDe } from "./error-details.ts";
import { eventTextsDe } from "./events.ts";
import { faultTextsDe } from "./faults.ts";
import { integrationsErrorsDe } from "./integrations-errors.ts";
import { lineProtocolErrorsDe } from "./line-protocol-errors.ts";
import { lossTextsDe } from "./losses.ts";
import { modbusErrorsDe } from "./modbus-errors.ts";
import { mqttErrorsDe } from "./mqtt-errors.ts";
import { reasonsDe } from "./reasons.ts";
import { refusalTextsDe } from "./refusals.ts";
import { rulesDe } from "./rules.ts";
import { siteErrorsDe } from "./site-errors.ts";
import { telemetryErrorsDe } from "./telemetry-errors.ts";
import { updateErrorsDe } from "./update-errors.ts";
import { uplinkErrorsDe } from "./uplink-errors.ts";
import { userErrorsDe } from "./user-errors.ts";

/** Texts of errors by code, in German. */
export const germanErrors: Readonly<Record<ErrorCode, string>> = {
  ...userErrorsDe,
  ...devicesErrorsDe,
  ...telemetryErrorsDe,
  ...automationErrorsDe,
  ...integrationsErrorsDe,
  ...modbusErrorsDe,
  ...mqttErrorsDe,
  ...siteErrorsDe,
  ...backupErrorsDe,
  ...updateErrorsDe,
  ...uplinkErrorsDe,
  ...lineProtocolErrorsDe,
  ...errorDetailsDe,
  ...rulesDe,
  ...reasonsDe,
  ...refusalTextsDe,
  ...faultTextsDe,
  ...lossTextsDe,
  ...eventTextsDe,
};
