import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { refreshKeyMetadata } from "../../platform/key-metadata.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import { changedList } from "./changed-list.ts";
import { KeyList } from "./key-list.tsx";
import { ProfileHead } from "./profile-head.tsx";
import { profilesApi } from "./profiles-api.ts";

/** Lists the keys that devices of a profile send, with their metadata. */
export function ProfileKeys({ profileId }: { profileId: string }) {
  const loaded = useKept(
    async () => ({
      profile: await profilesApi.get(profileId),
      entries: await profilesApi.keys(profileId),
      defaults: await profilesApi.defaultKeys(),
      sent: await profilesApi.sentKeys(profileId),
    }),
    [profileId],
  );
  const change = async (changed: readonly KeyMetadata[], removed?: string) => {
    // Changes of other keys by other users meanwhile are kept.
    const current = await profilesApi.keys(profileId);
    const entries = await profilesApi.setKeys(profileId, changedList(current, changed, removed));
    if (loaded.data) loaded.set({ ...loaded.data, entries });
    refreshKeyMetadata();
    toast("success", t("meta.saved"));
  };
  return (
    <Loaded of={loaded} isPage>
      {({ profile, ...lists }) => (
        <div class="flex flex-col gap-4">
          <ProfileHead profileId={profileId} name={profile.name} tab="values" />
          <p class="max-w-2xl text-soft">
            {t("meta.intro")}{" "}
            <a class="link" href="/settings/profiles/defaults">
              {t("meta.siteDefaults")}
            </a>
          </p>
          <KeyList {...lists} emptyHint={t("meta.noneHint")} onChange={change} />
        </div>
      )}
    </Loaded>
  );
}

/** Metadata that applies to devices of all profiles. */
export function SiteKeys() {
  const loaded = useKept(profilesApi.defaultKeys, []);
  const change = async (changed: readonly KeyMetadata[], removed?: string) => {
    const current = await profilesApi.defaultKeys();
    loaded.set(await profilesApi.setDefaultKeys(changedList(current, changed, removed)));
    refreshKeyMetadata();
    toast("success", t("meta.saved"));
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="min-w-0">
        <Trail steps={[{ href: "/settings/profiles", text: t("page.profiles") }]} />
        <h2 class="text-lg font-semibold">{t("meta.siteDefaults")}</h2>
      </div>
      <p class="max-w-2xl text-soft">{t("meta.siteIntro")}</p>
      <Loaded of={loaded}>
        {(entries) => (
          <KeyList
            entries={entries}
            defaults={[]}
            sent={[]}
            emptyHint={t("meta.siteNoneHint")}
            onChange={change}
          />
        )}
      </Loaded>
    </div>
  );
}
