import { appEn } from "../app/texts.en.ts";
import { alarmsEn } from "../features/alarms/texts.en.ts";
import { demoPlantEn } from "../features/demo-plant/texts.en.ts";
import { devicesEn } from "../features/devices/texts.en.ts";
import { overviewEn } from "../features/overview/texts.en.ts";
import { setupEn } from "../features/setup/texts.en.ts";
import { signInEn } from "../features/sign-in/texts.en.ts";
import { platformEn } from "../platform/texts.en.ts";
import { uiEn } from "../ui/texts.en.ts";

/** Texts of the screens that are part of the first load, and of what every screen uses. */
export const firstEn = {
  ...alarmsEn,
  ...appEn,
  ...demoPlantEn,
  ...devicesEn,
  ...overviewEn,
  ...platformEn,
  ...setupEn,
  ...signInEn,
  ...uiEn,
} as const;
