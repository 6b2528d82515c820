import { may } from "./session.ts";

/** Each with what the caller must be allowed for it; undefined: everybody. In the order of the tabs. */
const PAGES = {
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
} as const satisfies Record<string, string | undefined>;

export type SettingsPage = keyof typeof PAGES;

const names = Object.keys(PAGES) as SettingsPage[];

/** Those that the signed-in person may open. */
export const settingsPages = (): SettingsPage[] =>
  names.filter((page) => {
    const needed: string | undefined = PAGES[page];
    return needed === undefined || may(needed);
  });
