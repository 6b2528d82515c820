import { KeyRound, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { MENU_ITEM, MoreMenu } from "../../ui/page/more-menu.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { CreateLink } from "../../ui/page/row-buttons.tsx";
import type { SettingsPageProps } from "../../ui/page/settings-page.types.ts";
import { ProfileFormPage, ProfileSettings } from "./profile-form-page.tsx";
import { ProfileKeys, SiteKeys } from "./profile-keys.tsx";
import { ProfileRules } from "./profile-rules.tsx";
import { type Profile, profilesApi } from "./profiles-api.ts";
import { ProvisioningDialog } from "./provisioning-dialog.tsx";

/** Id of the site's defaults in the address. */
const DEFAULTS_ID = "defaults";

/** Shows all profiles, the alarm rules or keys of one, or the site's defaults for keys. */
export function ProfilesPage({ id }: SettingsPageProps) {
  const { query, route } = useLocation();
  if (id === undefined) return <ProfileList />;
  if (id === "new") return <ProfileFormPage onSaved={() => route("/settings/profiles", true)} />;
  if (id === DEFAULTS_ID) return <SiteKeys />;
  if (query.view === "settings") return <ProfileSettings key={id} profileId={id} />;
  return query.view === "values" ? (
    <ProfileKeys key={id} profileId={id} />
  ) : (
    <ProfileRules key={id} profileId={id} />
  );
}

function ProfileList() {
  const list = useKept(profilesApi.list, []);
  const [claiming, setClaiming] = useState<Profile | undefined>(undefined);
  return (
    <>
      <ResourceList
        title={t("page.profiles")}
        isWithin
        intro={
          <>
            {t("profiles.intro")}{" "}
            <a class="link" href={`/settings/profiles/${DEFAULTS_ID}`}>
              {t("meta.siteDefaults")}
            </a>
          </>
        }
        list={list}
        icon={KeyRound}
        none={[t("page.profiles"), ""]}
        create={
          may("profiles:write") && (
            <CreateLink href="/settings/profiles/new">{t("profiles.create")}</CreateLink>
          )
        }
      >
        {(profile) => (
          <ProfileRow
            key={profile.profileId}
            profile={profile}
            onClaims={() => setClaiming(profile)}
            onDeleted={list.reload}
          />
        )}
      </ResourceList>
      {claiming && <ProvisioningDialog profile={claiming} onClose={() => setClaiming(undefined)} />}
    </>
  );
}

function facts(profile: Profile): string {
  const { deviceCount = 0, inactivityTimeoutMs, retentionDays, messagesPerSecond } = profile;
  return [
    plural("run.devices", deviceCount),
    inactivityTimeoutMs === null
      ? t("profiles.silentAutomatic")
      : t("profiles.silentAfter", { time: durationText(inactivityTimeoutMs) }),
    ...(retentionDays === null ? [] : [plural("profiles.keptDays", retentionDays)]),
    ...(messagesPerSecond === null ? [] : [plural("profiles.rate", messagesPerSecond)]),
  ].join(" · ");
}

interface RowProps {
  readonly profile: Profile;
  readonly onClaims: () => void;
  readonly onDeleted: () => void;
}

function ProfileRow({ profile, onClaims, onDeleted }: RowProps) {
  const { profileId, name, description, isDefault, alarmRules } = profile;
  const address = `/settings/profiles/${profileId}`;
  return (
    <li class="flex items-center gap-x-4 px-4 py-3">
      <div class="grid min-w-0 flex-1 gap-x-6 gap-y-1 lg:grid-cols-[minmax(0,1fr)_9rem_9rem] lg:items-center">
        <div class="min-w-0">
          <p class="wrap-anywhere">
            <a class="link link-hover font-medium" href={`${address}?view=settings`}>
              {name}
            </a>
            {isDefault && <span class="badge badge-sm ml-2 border-base-300">{t("profiles.default")}</span>}
          </p>
          {description && <p class="line-clamp-2 text-sm wrap-anywhere text-soft">{description}</p>}
          <p class="text-sm text-soft first-letter:uppercase">{facts(profile)}</p>
        </div>
        <a
          class="link justify-self-start text-sm"
          href={address}
          aria-label={`${t("rule.manage", { name })}: ${plural("rule.count", alarmRules.length)}`}
        >
          {plural("rule.count", alarmRules.length)}
        </a>
        <a
          class="link justify-self-start text-sm"
          href={`${address}?view=values`}
          aria-label={t("meta.of", { name })}
        >
          {t("meta.tab")}
        </a>
      </div>
      {may("profiles:write") && (
        <MoreMenu label={t("profiles.actionsOf", { name })}>
          {(close) => (
            <div class="flex flex-col">
              <Button
                icon={KeyRound}
                class={MENU_ITEM}
                onClick={() => {
                  close();
                  onClaims();
                }}
              >
                {t("provisioning.open")}
              </Button>
              {!isDefault && (
                <Button
                  icon={Trash2}
                  class={`${MENU_ITEM} text-error`}
                  onClick={() => {
                    close();
                    confirmDelete({
                      name,
                      warning: t("profiles.deleteWarning", { name }),
                      onDelete: () => profilesApi.delete(profileId),
                      onDeleted,
                    });
                  }}
                >
                  {t("common.delete")}
                </Button>
              )}
            </div>
          )}
        </MoreMenu>
      )}
    </li>
  );
}
