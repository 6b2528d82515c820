import { deCodecs } from "./de-codecs.ts";
import { deCommands } from "./de-commands.ts";
import { deConnect } from "./de-connect.ts";
import { deDashboards } from "./de-dashboards.ts";
import { deGenerators } from "./de-generators.ts";
import { deHistory } from "./de-history.ts";
import { deIntegrations } from "./de-integrations.ts";
import { deNotifications } from "./de-notifications.ts";
import { dePeople } from "./de-people.ts";
import { dePipelines } from "./de-pipelines.ts";
import { deProfiles } from "./de-profiles.ts";
import { deRules } from "./de-rules.ts";
import { deScheduler } from "./de-scheduler.ts";
import { deSite } from "./de-site.ts";
import type { enLate } from "./en-late.ts";

export const deLate: Readonly<Record<keyof typeof enLate, string>> = {
  ...deCodecs,
  ...deCommands,
  ...deConnect,
  ...deDashboards,
  ...deGenerators,
  ...deHistory,
  ...deIntegrations,
  ...deNotifications,
  ...dePeople,
  ...dePipelines,
  ...deProfiles,
  ...deRules,
  ...deScheduler,
  ...deSite,
};
