import type { ComponentChildren } from "preact";
import { t } from "../../platform/i18n/i18n.ts";
import { Tabs } from "../../ui/page/tabs.tsx";
import { ProfileDashboardButton } from "../dashboards/type-dashboard-button.tsx";

/** Head of the pages of a profile: its name and links to its other pages. */
export function ProfileHead(props: {
  profileId: string;
  name: string;
  tab: "rules" | "values" | "settings";
  children?: ComponentChildren;
}) {
  const { profileId, name, tab } = props;
  const address = `/settings/profiles/${profileId}`;
  return (
    <>
      <div class="flex flex-wrap items-center justify-between gap-3">
        <div class="min-w-0">
          <p class="text-sm">
            <a class="link link-hover text-soft" href="/settings/profiles">
              {t("page.profiles")}
            </a>
          </p>
          <h2 class="text-lg font-semibold wrap-anywhere">{name}</h2>
        </div>
        <div class="flex flex-wrap items-center gap-2">
          <ProfileDashboardButton profileId={profileId} />
          {props.children}
        </div>
      </div>
      <Tabs
        label={name}
        current={tab}
        items={[
          { id: "rules", text: t("common.alarmRules"), href: address },
          { id: "values", text: t("meta.tab"), href: `${address}?view=values` },
          { id: "settings", text: t("tab.settings"), href: `${address}?view=settings` },
        ]}
      />
    </>
  );
}
