import { appDe } from "../app/texts.de.ts";
import { alarmsDe } from "../features/alarms/texts.de.ts";
import { demoPlantDe } from "../features/demo-plant/texts.de.ts";
import { devicesDe } from "../features/devices/texts.de.ts";
import { overviewDe } from "../features/overview/texts.de.ts";
import { setupDe } from "../features/setup/texts.de.ts";
import { signInDe } from "../features/sign-in/texts.de.ts";
import { platformDe } from "../platform/texts.de.ts";
import { uiDe } from "../ui/texts.de.ts";
import type { firstEn } from "./first.en.ts";

export const firstDe: Readonly<Record<keyof typeof firstEn, string>> = {
  ...alarmsDe,
  ...appDe,
  ...demoPlantDe,
  ...devicesDe,
  ...overviewDe,
  ...platformDe,
  ...setupDe,
  ...signInDe,
  ...uiDe,
};
