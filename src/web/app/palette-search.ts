// Additional search results of Ctrl-K. Loaded when the palette is first opened.
import { alarmsApi } from "../features/alarms/alarms-api.ts";
import { bacnetApi } from "../features/bacnet/bacnet-api.ts";
import { dashboardsApi } from "../features/dashboards/dashboards-api.ts";
import { generatorsApi } from "../features/generators/generators-api.ts";
import { integrationsApi } from "../features/integrations/integrations-api.ts";
import { loadManual } from "../features/manual/manual-api.ts";
import { modbusApi } from "../features/modbus/modbus-api.ts";
import { opcuaApi } from "../features/opcua/opcua-api.ts";
import { pipelinesApi } from "../features/pipelines/pipelines-api.ts";
import { profilesApi } from "../features/profiles/profiles-api.ts";
import { s7Api } from "../features/s7/s7-api.ts";
import { schedulerApi } from "../features/scheduler/scheduler-api.ts";
import { uplinksApi } from "../features/uplinks/uplinks-api.ts";
import { usersApi } from "../features/users/users-api.ts";
import { t } from "../platform/i18n/i18n.ts";
import { language } from "../platform/preferences.ts";
import { may } from "../platform/session.ts";

/** Object with a page of its own. */
export interface Found {
  readonly id: string;
  readonly text: string;
  readonly detail: string;
  readonly path: string;
}

const LISTED_MAX = 200;

/** Loads a list; the result is empty if the user may not read it or the request fails. */
async function listed(
  permission: string | undefined,
  load: () => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  if (permission !== undefined && !may(permission)) return [];
  return load().catch(() => []);
}

const found = (path: string, text: string, detail: string): Found => ({ id: path, text, detail, path });

/** Loads all objects with pages, except devices, which the server searches. */
export async function loadFound(): Promise<Found[]> {
  const lists = await Promise.all([
    listed("dashboards:read", async () =>
      (await dashboardsApi.list()).map(({ id, name }) =>
        found(`/dashboards/${id}`, name, t("nav.dashboards")),
      ),
    ),
    listed("alarms:read", async () =>
      (await alarmsApi.list({ status: "ACTIVE_UNACK,ACTIVE_ACK", limit: LISTED_MAX })).rows.map((alarm) =>
        found(`/alarms/${alarm.alarmId}`, `${alarm.message} · ${alarm.deviceName}`, t("nav.alarms")),
      ),
    ),
    listed("profiles:read", async () =>
      (await profilesApi.list()).flatMap(({ profileId, name, alarmRules }) => [
        found(`/settings/profiles/${profileId}`, name, t("page.profiles")),
        ...alarmRules.map((rule, index) => ({
          ...found(`/settings/profiles/${profileId}`, `${ruleName(rule)} · ${name}`, t("palette.rule")),
          id: `/settings/profiles/${profileId}/${index}`,
        })),
      ]),
    ),
    listed("integrations:read", async () =>
      (await integrationsApi.list()).map(({ integrationId, name }) =>
        found(`/integrations/${integrationId}`, name, t("nav.integrations")),
      ),
    ),
    listed("integrations:read", async () =>
      (await modbusApi.list("")).rows.map(({ connectionId, name }) =>
        found(`/modbus/${connectionId}`, name, t("nav.field")),
      ),
    ),
    listed("integrations:read", async () =>
      (await s7Api.list("")).rows.map(({ connectionId, name }) =>
        found(`/s7/${connectionId}`, name, t("nav.field")),
      ),
    ),
    listed("integrations:read", async () =>
      (await bacnetApi.list("")).rows.map(({ connectionId, name }) =>
        found(`/bacnet/${connectionId}`, name, t("nav.field")),
      ),
    ),
    listed("integrations:read", async () =>
      (await opcuaApi.list("")).rows.map(({ connectionId, name }) =>
        found(`/opcua/${connectionId}`, name, t("nav.field")),
      ),
    ),
    listed("pipelines:read", async () =>
      (await pipelinesApi.list()).map(({ pipelineId, name }) =>
        found(`/pipelines/${pipelineId}`, name, t("nav.pipelines")),
      ),
    ),
    listed("uplinks:read", async () =>
      (await uplinksApi.list("")).rows.map(({ uplinkId, name }) =>
        found(`/uplinks/${uplinkId}`, name, t("nav.uplinks")),
      ),
    ),
    listed("scheduler:read", async () =>
      (await schedulerApi.list("")).rows.map(({ jobId, name }) =>
        found(`/scheduler/${jobId}`, name, t("nav.scheduler")),
      ),
    ),
    listed("generators:read", async () =>
      (await generatorsApi.list("")).rows.map(({ id, name }) =>
        found(`/generators/${id}`, name, t("nav.generators")),
      ),
    ),
    listed("users:read", async () =>
      (await usersApi.list({ limit: LISTED_MAX, offset: 0 })).rows.map(({ userId, email }) =>
        found(`/settings/users/${userId}`, email, t("page.users")),
      ),
    ),
    listed(undefined, async () =>
      (await loadManual(language.value)).flatMap(({ pages }) =>
        pages.map(({ id, title }) => found(`/manual/${id}`, title, t("manual.title"))),
      ),
    ),
  ]);
  return lists.flat();
}

const ruleName = (rule: unknown): string =>
  typeof rule === "object" && rule !== null && "alarmType" in rule ? String(rule.alarmType) : "";
