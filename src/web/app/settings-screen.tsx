import type { ComponentType } from "preact";
import { lazy, useRoute } from "preact-iso";
import { oneOf, SETTINGS_PAGES_WITH_ID } from "../../lib/console/console-routes.ts";
import { t } from "../platform/i18n/i18n.ts";
import { loadPart } from "../platform/load-part.ts";
import { NotFoundScreen } from "../ui/page/not-found.tsx";
import { PageHead } from "../ui/page/page-head.tsx";
import type { SettingsPageProps } from "../ui/page/settings-page.types.ts";
import { SettingsNav } from "./settings-nav.tsx";
import { type SettingsPage, settingsPages } from "./settings-pages.ts";

const SCREENS: Record<SettingsPage, ComponentType<SettingsPageProps>> = {
  profile: lazy(() =>
    loadPart(() => import("../features/account/profile-page.tsx")).then((m) => m.ProfilePage),
  ),
  security: lazy(() =>
    loadPart(() => import("../features/account/security-page.tsx")).then((m) => m.SecurityPage),
  ),
  users: lazy(() => loadPart(() => import("../features/users/users-page.tsx")).then((m) => m.UsersPage)),
  "api-keys": lazy(() =>
    loadPart(() => import("../features/api-keys/api-keys-page.tsx")).then((m) => m.ApiKeysPage),
  ),
  profiles: lazy(() =>
    loadPart(() => import("../features/profiles/profiles-page.tsx")).then((m) => m.ProfilesPage),
  ),
  notifications: lazy(() =>
    loadPart(() => import("../features/notifications/notifications-page.tsx")).then(
      (m) => m.NotificationsPage,
    ),
  ),
  site: lazy(() => loadPart(() => import("../features/site/site-page.tsx")).then((m) => m.SitePage)),
  branding: lazy(() =>
    loadPart(() => import("../features/site/branding-page.tsx")).then((m) => m.BrandingPage),
  ),
  audit: lazy(() => loadPart(() => import("../features/audit/audit-page.tsx")).then((m) => m.AuditPage)),
  outbox: lazy(() => loadPart(() => import("../features/outbox/outbox-page.tsx")).then((m) => m.OutboxPage)),
  backups: lazy(() =>
    loadPart(() => import("../features/backups/backups-page.tsx")).then((m) => m.BackupsPage),
  ),
  system: lazy(() => loadPart(() => import("../features/system/system-page.tsx")).then((m) => m.SystemPage)),
  log: lazy(() => loadPart(() => import("../features/system/log-page.tsx")).then((m) => m.LogPage)),
};

/** Frame of the settings of users, the site and the gateway, with the pages that the role allows. */
export function SettingsScreen() {
  const { params } = useRoute();
  const pages = settingsPages();
  const current = oneOf(pages, params.settingsPage || "profile");
  const hasStrayId = params.settingsId !== undefined && oneOf(SETTINGS_PAGES_WITH_ID, current) === undefined;
  if (current === undefined || hasStrayId) return <NotFoundScreen />;
  const Page = SCREENS[current];
  return (
    <div class="mx-auto flex min-h-full max-w-7xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      <PageHead title={t(`page.${current}`)} />
      <div class="flex flex-col gap-5 xl:grid xl:grid-cols-[12rem_minmax(0,1fr)] xl:items-start xl:gap-8">
        <SettingsNav pages={pages} current={current} />
        <div class="min-w-0">
          <Page id={params.settingsId} />
        </div>
      </div>
    </div>
  );
}
