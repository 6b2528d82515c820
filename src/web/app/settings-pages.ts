import { SETTINGS_PAGES as allPages } from "../../lib/console/console-routes.ts";
import { may } from "../platform/session.ts";

export type SettingsPage = (typeof allPages)[number];

/** Required permission by page; undefined if everybody may open it. */
const needs: Readonly<Record<SettingsPage, string | undefined>> = {
  profile: undefined,
  security: undefined,
  users: "users:read",
  "api-keys": "api-keys:manage",
  profiles: "profiles:read",
  notifications: "alarms:escalation",
  site: "tenant:read",
  branding: "tenant:write",
  audit: "audit:read",
  outbox: "outbox:manage",
  backups: "gateway:manage",
  // For the same people, the owners of the gateway's own tenant.
  system: "gateway:manage",
  log: "gateway:manage",
};

/** Returns the pages that the signed-in user may open, in the order of the tabs. */
export const settingsPages = (): SettingsPage[] =>
  allPages.filter((page) => {
    const needed = needs[page];
    return needed === undefined || may(needed);
  });
