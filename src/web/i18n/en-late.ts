import { enCodecs } from "./en-codecs.ts";
import { enCommands } from "./en-commands.ts";
import { enConnect } from "./en-connect.ts";
import { enDashboards } from "./en-dashboards.ts";
import { enGenerators } from "./en-generators.ts";
import { enHistory } from "./en-history.ts";
import { enIntegrations } from "./en-integrations.ts";
import { enNotifications } from "./en-notifications.ts";
import { enPeople } from "./en-people.ts";
import { enPipelines } from "./en-pipelines.ts";
import { enProfiles } from "./en-profiles.ts";
import { enRules } from "./en-rules.ts";
import { enScheduler } from "./en-scheduler.ts";
import { enSite } from "./en-site.ts";

/** Texts of the screens that are loaded when they are asked for; those of the first screens are in `en.ts`. */
export const enLate = {
  ...enCodecs,
  ...enCommands,
  ...enConnect,
  ...enDashboards,
  ...enGenerators,
  ...enHistory,
  ...enIntegrations,
  ...enNotifications,
  ...enPeople,
  ...enPipelines,
  ...enProfiles,
  ...enRules,
  ...enScheduler,
  ...enSite,
} as const;
