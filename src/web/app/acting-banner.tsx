import { Drama } from "lucide-preact";
import { useLocation } from "preact-iso";
import { t } from "../platform/i18n/i18n.ts";
import { me } from "../platform/session.ts";
import { stopActing } from "../platform/sign-out.ts";

/** Banner on every screen while a user acts as another one. */
export function ActingBanner() {
  const { route } = useLocation();
  const current = me.value;
  if (!current?.impersonator) return null;
  const stop = async () => {
    await stopActing();
    route(`/settings/users/${current.userId}`, true);
  };
  return (
    <div
      class="flex flex-wrap items-center gap-x-3 gap-y-1 bg-warning px-4 py-2 text-sm text-warning-content"
      role="status"
      data-testid="acting"
    >
      <Drama size={16} aria-hidden="true" />
      <span class="min-w-0 flex-1">
        <strong class="break-words">{t("acting.banner", { name: current.fullName || current.email })}</strong>{" "}
        <span class="max-sm:hidden">{t("acting.hint")}</span>
      </span>
      <button type="button" class="btn btn-xs" onClick={stop}>
        {t("acting.stop")}
      </button>
    </div>
  );
}
