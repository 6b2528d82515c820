import { Drama } from "lucide-preact";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { actWith, may, me } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { usersApi } from "./users-api.ts";
import type { User } from "./users-types.ts";

/** Lets an administrator see the site as the user does. */
export function ActAs({ user }: { user: User }) {
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
