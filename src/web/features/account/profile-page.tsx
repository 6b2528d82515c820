import { changedFields } from "../../lib/changed-fields.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { may, me } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { TestSend } from "../notifications/test-send.tsx";
import { ownForm, ownNotificationsForm, ownPersonForm } from "../users/user-form.ts";
import { usersApi } from "../users/users-api.ts";
import type { User } from "../users/users-types.ts";

/** Form for the fields that all users may change for themselves: name and notifications. */
export function ProfilePage() {
  const userId = me.value?.userId ?? "";
  const resource = useResource(() => usersApi.get(userId), [userId]);
  return (
    <Loaded of={resource}>
      {(user) => <ProfileForm key={user.userId} user={user} resource={resource} />}
    </Loaded>
  );
}

function ProfileForm({ user, resource }: { user: User; resource: Resource<User> }) {
  const form = useSchemaForm(ownForm, { ...user });
  const submit = () =>
    form.send(async (body) => {
      const saved = await usersApi.update(user.userId, changedFields(body, user));
      // Changes by others meanwhile must not be part of the next save.
      form.state.onChange({ ...saved });
      resource.set(saved);
      if (me.value) me.value = { ...me.value, fullName: saved.fullName };
      toast("success", t("settings.saved"));
    });
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      <SectionForm {...form.dialog} onSubmit={submit}>
        <Section id="profile-person" title={t("page.profile")}>
          <SchemaFields
            form={ownPersonForm}
            {...form.state}
            hints={{ email: t(may("users:write") ? "profile.emailOwnHint" : "profile.emailHint") }}
          />
          <p class="text-sm text-soft">
            {t("common.role")}: {t(`role.${user.role}`)}. {t(`roleHint.${user.role}`)}
          </p>
        </Section>
        <Section id="profile-notifications" title={t("page.notifications")} hint={t("notify.hint")}>
          <SchemaFields form={ownNotificationsForm} {...form.state} />
        </Section>
      </SectionForm>
      <TestSend />
    </div>
  );
}
