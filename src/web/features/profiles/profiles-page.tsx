import { KeyRound, Plus, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { MENU_ITEM, MoreMenu } from "../../ui/more-menu.tsx";
import type { SettingsPageProps } from "../../ui/settings-page.types.ts";
import { ProfileFormPage, ProfileSettings } from "./profile-form-page.tsx";
import { ProfileKeys, SiteKeys } from "./profile-keys.tsx";
import { ProfileRules } from "./profile-rules.tsx";
import { type Profile, profilesApi } from "./profiles-api.ts";
import { ProvisioningDialog } from "./provisioning-dialog.tsx";

interface Open {
  readonly kind: "delete" | "claims";
  readonly profile: Profile;
}

/** Id in the address of the defaults of the site. */
const DEFAULTS_ID = "defaults";

/** All profiles, the alarm rules or the values of one, or the site's defaults for values. */
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
  const list = useResource(profilesApi.list, []);
  const profiles = useKept(list);
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const close = (changed: boolean) => {
    setOpen(undefined);
    if (changed) list.reload();
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-start justify-between gap-3">
        <p class="max-w-2xl text-soft">
          {t("profiles.intro")}{" "}
          <a class="link" href={`/settings/profiles/${DEFAULTS_ID}`}>
            {t("meta.siteDefaults")}
          </a>
        </p>
        {may("profiles:write") && (
          <a class="btn btn-primary btn-sm" href="/settings/profiles/new">
            <Plus size={16} aria-hidden="true" />
            {t("profiles.create")}
          </a>
        )}
      </div>
      <ErrorNote of={list} />
      {!profiles && list.loading && <p class="text-soft">{t("common.loading")}</p>}
      {profiles && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("page.profiles")}>
          {profiles.map((profile) => (
            <ProfileRow key={profile.profileId} profile={profile} onOpen={setOpen} />
          ))}
        </ul>
      )}
      {open?.kind === "claims" && <ProvisioningDialog profile={open.profile} onClose={() => close(false)} />}
      {open?.kind === "delete" && <DeleteDialog profile={open.profile} onClose={close} />}
    </div>
  );
}

function facts(profile: Profile): string {
  const { inactivityTimeoutMs, retentionDays, messagesPerSecond } = profile;
  return [
    inactivityTimeoutMs === null
      ? t("profiles.silentAutomatic")
      : t("profiles.silentAfter", { time: durationText(inactivityTimeoutMs) }),
    ...(retentionDays === null ? [] : [plural("profiles.keptDays", retentionDays)]),
    ...(messagesPerSecond === null ? [] : [plural("profiles.rate", messagesPerSecond)]),
  ].join(" · ");
}

function ProfileRow({ profile, onOpen }: { profile: Profile; onOpen: (open: Open) => void }) {
  const { name, description, isDefault, alarmRules } = profile;
  const address = `/settings/profiles/${profile.profileId}`;
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
          {(close) => {
            const open = (kind: Open["kind"]) => () => {
              close();
              onOpen({ kind, profile });
            };
            return (
              <div class="flex flex-col">
                <Button icon={KeyRound} class={MENU_ITEM} onClick={open("claims")}>
                  {t("provisioning.open")}
                </Button>
                {!isDefault && (
                  <Button icon={Trash2} class={`${MENU_ITEM} text-error`} onClick={open("delete")}>
                    {t("common.delete")}
                  </Button>
                )}
              </div>
            );
          }}
        </MoreMenu>
      )}
    </li>
  );
}

function DeleteDialog({ profile, onClose }: { profile: Profile; onClose: (deleted: boolean) => void }) {
  const { name, profileId } = profile;
  return (
    <ConfirmDialog
      title={t("common.deleteName", { name })}
      warning={t("profiles.deleteWarning", { name })}
      onCancel={() => onClose(false)}
      onConfirm={async () => {
        await profilesApi.delete(profileId);
        toast("success", t("common.nameIsDeleted", { name }));
        onClose(true);
      }}
    />
  );
}
