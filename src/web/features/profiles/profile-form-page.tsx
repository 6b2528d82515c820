import { useState } from "preact/hooks";
import { changedFields } from "../../lib/changed-fields.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { CommandFields, toCommands } from "./command-fields.tsx";
import { newProfile, profileForm, profileRulesForm } from "./profile-form.tsx";
import { ProfileHead } from "./profile-head.tsx";
import { type Profile, type ProfileForm, profilesApi } from "./profiles-api.ts";
import { isValidDraft, type RequestDraft, toDraft, toRule } from "./request-drafts.ts";
import { RequestFields } from "./request-fields.tsx";

/** Form of an existing profile, on a tab of its page. */
export function ProfileSettings({ profileId }: { profileId: string }) {
  const resource = useResource(() => profilesApi.get(profileId), [profileId]);
  return (
    <Loaded of={resource} isPage>
      {(profile) => <ProfileFormPage profile={profile} onSaved={resource.set} />}
    </Loaded>
  );
}

const wholeForm: FormDefinition = {
  ...profileForm,
  fields: [...profileForm.fields, ...profileRulesForm.fields],
};

/** Creates a profile, or edits the given one. */
export function ProfileFormPage(props: { profile?: Profile; onSaved: (saved: Profile) => void }) {
  const { profile, onSaved } = props;
  const initial: ProfileForm = profile ?? newProfile;
  const form = useSchemaForm(wholeForm, { ...initial });
  const [drafts, setDrafts] = useState<readonly RequestDraft[]>(initial.deviceRequests.map(toDraft));
  const [commands, setCommands] = useState(initial.commands);
  const submit = () => {
    if (!drafts.every(isValidDraft)) return;
    form.send(async (body) => {
      const sent = {
        ...body,
        deviceRequests: drafts.map(toRule),
        commands: toCommands(commands),
      } as unknown as ProfileForm; // the API checks it
      const saved = profile
        ? await profilesApi.update(profile, changedFields(sent, profile))
        : await profilesApi.create(sent);
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      form.state.onChange({ ...saved });
      onSaved(saved);
    });
  };
  return (
    <FormPage
      title={t("profiles.create")}
      back={{ href: "/settings/profiles", text: t("page.profiles") }}
      isNested
      head={profile && <ProfileHead profileId={profile.profileId} name={profile.name} tab="settings" />}
      submitText={t(profile ? "common.save" : "profiles.create")}
      onSubmit={submit}
      {...form.dialog}
      isFixed={!may("profiles:write")}
    >
      <div class="panel flex flex-col gap-4 p-4 sm:p-5">
        <SchemaFields
          form={profileForm}
          {...form.state}
          isDisabled={(path) => path === "isDefault" && profile?.isDefault === true}
          hints={profile?.isDefault ? { isDefault: t("profile.isDefaultNow") } : {}}
        />
      </div>
      <SchemaFields form={profileRulesForm} {...form.state} />
      <RequestFields drafts={drafts} onChange={setDrafts} />
      <CommandFields commands={commands} onChange={setCommands} />
    </FormPage>
  );
}
