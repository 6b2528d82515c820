import { changedFields } from "../../lib/changed-fields.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { may, me } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { TestSend } from "../notifications/test-send.tsx";
import { NotificationFields, notificationsFrom } from "../users/notification-fields.tsx";
import { usersApi } from "../users/users-api.ts";
import type { User } from "../users/users-types.ts";

/** Form for what all users may change of themselves: name and notifications. */
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
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const text = (name: string) => String(data.get(name) ?? "").trim();
    action.run(async () => {
      const edit = {
        fullName: text("fullName"),
        ...notificationsFrom(data),
      };
      const saved = await usersApi.update(user.userId, changedFields(edit, user));
      resource.set(saved);
      if (me.value) me.value = { ...me.value, fullName: saved.fullName };
      toast("success", t("settings.saved"));
    });
  };
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <Section id="profile-person" title={t("profile.person")}>
          <div class="grid gap-4 sm:grid-cols-2">
            <TextField
              label={t("common.name")}
              name="fullName"
              autocomplete="name"
              required
              maxLength={200}
              pattern=".*\S.*"
              defaultValue={user.fullName}
            />
            <TextField
              label={t("common.eMail")}
              hint={t(may("users:write") ? "profile.emailOwnHint" : "profile.emailHint")}
              name="email"
              type="email"
              autocomplete="username"
              readOnly
              defaultValue={user.email}
            />
          </div>
          <p class="text-sm text-soft">
            {t("common.role")}: {t(`role.${user.role}`)}. {t(`roleHint.${user.role}`)}
          </p>
        </Section>
        <Section id="profile-notifications" title={t("notify.title")} hint={t("notify.hint")}>
          <NotificationFields settings={user} />
        </Section>
        <ErrorNote error={action.error} />
        <div class="flex justify-end">
          <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
        </div>
      </form>
      <TestSend />
    </div>
  );
}
