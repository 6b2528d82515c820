import { Drama } from "lucide-preact";
import { useLocation } from "preact-iso";
import { changedFields } from "../../lib/changed-fields.ts";
import { codeText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { actWith, may, me } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import { HistoryLink } from "../audit/history-link.tsx";
import { UserActions } from "./user-actions.tsx";
import { accessForm, alarmsForm, personForm, userForm } from "./user-form.ts";
import { usersApi } from "./users-api.ts";
import { ROLES, type User, type UserStatus } from "./users-types.ts";

export function UserPage({ userId }: { userId: string }) {
  const resource = useResource(() => usersApi.get(userId), [userId]);
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      <Trail steps={[{ href: "/settings/users", text: t("page.users") }]} />
      <Loaded of={resource} isPage>
        {(user) => (
          <>
            <h2 class="truncate text-lg font-semibold">{user.fullName || user.email}</h2>
            <UserForm user={user} resource={resource} />
            <HistoryLink id={user.userId} />
            {mayManage(user) && <ActAs user={user} />}
            {mayManage(user) && <UserActions user={user} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Returns whether the form of the user may be changed. Users edit themselves on the profile page, and only an owner may manage an owner. */
function mayManage(user: User): boolean {
  const own = ROLES.indexOf(me.value?.role ?? "TENANT_READ_ONLY");
  return may("users:write") && user.userId !== me.value?.userId && ROLES.indexOf(user.role) >= own;
}

function WhyNot({ user }: { user: User }) {
  if (user.userId === me.value?.userId)
    return (
      <p class="panel p-4">
        {t("user.isYou")}{" "}
        <a href="/settings/profile" class="link">
          {t("page.profile")}
        </a>
      </p>
    );
  return mayManage(user) ? null : <p class="panel p-4">{codeText("user.owners_only")}</p>;
}

function UserForm({ user, resource }: { user: User; resource: Resource<User> }) {
  const form = useSchemaForm(userForm, { ...user });
  const { role, status } = form.state.values;
  const submit = () =>
    form.send(async (body) => {
      const saved = await usersApi.update(user.userId, changedFields(body, user));
      // Changes by others meanwhile must not be part of the next save.
      form.state.onChange({ ...saved });
      resource.set(saved);
      toast("success", t("settings.saved"));
    });
  const isMine = mayManage(user);
  return (
    <>
      <WhyNot user={user} />
      <SectionForm {...form.dialog} onSubmit={submit} isFixed={!isMine}>
        <fieldset class="flex min-w-0 flex-col gap-5" disabled={!isMine}>
          <Section id="user-person" title={t("user.person")} level={3}>
            <SchemaFields
              form={personForm}
              {...form.state}
              isDisabled={(path) => user.isProtected && (path === "role" || path === "status")}
              hints={{
                status: t(`statusHint.${status as UserStatus}`), // a choice of the schema
                ...(user.isProtected && { role: t("user.protectedHint") }),
              }}
            />
            {(role !== user.role || status !== user.status) && (
              <p role="status" class="text-sm">
                {t("user.signsOut")}
              </p>
            )}
          </Section>
          <section class="panel flex flex-col gap-4 p-4 sm:p-5">
            <SchemaFields form={accessForm} {...form.state} />
            <p class="text-sm text-soft">
              {t("access.sees", {
                devices: plural("devices.count", user.deviceCount),
                assets: plural("access.assetCount", user.assetCount),
              })}
            </p>
          </section>
          <Section id="user-alarms" title={t("nav.alarms")} level={3}>
            <SchemaFields
              form={alarmsForm}
              {...form.state}
              {...(!user.emailConfirmed && {
                hints: { notificationsEmailEnabled: t("user.emailUnconfirmed") },
              })}
            />
          </Section>
        </fieldset>
      </SectionForm>
    </>
  );
}

/** Lets an administrator see the site as the user sees it. */
function ActAs({ user }: { user: User }) {
  const { route } = useLocation();
  const action = useAction();
  if (!may("users:impersonate") || me.value?.impersonator || user.status !== "ACTIVE") return null;
  const start = () =>
    action.run(async () => {
      actWith(await usersApi.impersonate(user.userId));
      route("/");
    });
  return (
    <section class="panel flex flex-wrap items-center justify-between gap-4 p-4">
      <div class="min-w-0">
        <h3 class="font-semibold">{t("acting.start")}</h3>
        <p class="text-sm text-soft">{t("acting.startHint")}</p>
      </div>
      <Button icon={Drama} size={14} disabled={action.busy} onClick={start}>
        {t("acting.start")}
      </Button>
      <ErrorNote error={action.error} />
    </section>
  );
}
