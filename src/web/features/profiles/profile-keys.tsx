import type { KeyMetadata } from "../../../lib/key-metadata.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { refreshKeyMetadata } from "../../platform/key-metadata.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { KeyList } from "./key-list.tsx";
import { ProfileHead } from "./profile-head.tsx";
import { profilesApi } from "./profiles-api.ts";

/** Returns the list with some entries in place of those of the same keys, and without a removed one. */
export function changedList(
  entries: readonly KeyMetadata[],
  changed: readonly KeyMetadata[],
  removed?: string,
): KeyMetadata[] {
  const byKey = new Map([...entries, ...changed].map((entry) => [entry.key, entry]));
  if (removed !== undefined) byKey.delete(removed);
  return [...byKey.values()];
}

/** The keys that devices of a profile send, with what their values mean. */
export function ProfileKeys({ profileId }: { profileId: string }) {
  const loaded = useResource(
    async () => ({
      profile: await profilesApi.get(profileId),
      entries: await profilesApi.keys(profileId),
      defaults: await profilesApi.defaultKeys(),
      sent: await profilesApi.sentKeys(profileId),
    }),
    [profileId],
  );
  const data = useKept(loaded);
  if (data === undefined) return <Loading error={loaded.error} onRetry={loaded.reload} />;
  const change = async (changed: readonly KeyMetadata[], removed?: string) => {
    // What somebody else has stored for other keys meanwhile stays.
    const current = await profilesApi.keys(profileId);
    const entries = await profilesApi.setKeys(profileId, changedList(current, changed, removed));
    loaded.set({ ...data, entries });
    refreshKeyMetadata();
    toast("success", t("meta.saved"));
  };
  return (
    <div class="flex flex-col gap-4">
      <ProfileHead profileId={profileId} name={data.profile.name} tab="values" />
      <p class="max-w-2xl text-soft">
        {t("meta.intro")}{" "}
        <a class="link" href="/settings/profiles/defaults">
          {t("meta.siteDefaults")}
        </a>
      </p>
      <KeyList {...data} emptyHint={t("meta.noneHint")} onChange={change} />
    </div>
  );
}

/** Metadata that applies to devices of all profiles. */
export function SiteKeys() {
  const loaded = useResource(profilesApi.defaultKeys, []);
  const entries = useKept(loaded);
  if (entries === undefined) return <Loading error={loaded.error} onRetry={loaded.reload} />;
  const change = async (changed: readonly KeyMetadata[], removed?: string) => {
    const current = await profilesApi.defaultKeys();
    loaded.set(await profilesApi.setDefaultKeys(changedList(current, changed, removed)));
    refreshKeyMetadata();
    toast("success", t("meta.saved"));
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="min-w-0">
        <p class="text-sm">
          <a class="link link-hover text-soft" href="/settings/profiles">
            {t("page.profiles")}
          </a>
        </p>
        <h2 class="text-lg font-semibold">{t("meta.siteDefaults")}</h2>
      </div>
      <p class="max-w-2xl text-soft">{t("meta.siteIntro")}</p>
      <KeyList
        entries={entries}
        defaults={[]}
        sent={[]}
        emptyHint={t("meta.siteNoneHint")}
        onChange={change}
      />
    </div>
  );
}

function Loading({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return error === undefined ? (
    <p class="text-soft">{t("common.loading")}</p>
  ) : (
    <ErrorNote error={error} onRetry={onRetry} />
  );
}
