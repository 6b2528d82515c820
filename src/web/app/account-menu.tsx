import { BookOpen, CircleHelp, CircleUser, LogOut, UserRoundCog } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../platform/i18n/i18n.ts";
import { me, setStaySignedIn, staySignedIn } from "../platform/session.ts";
import { signOut } from "../platform/sign-out.ts";
import { Button } from "../ui/button.tsx";
import { LanguageChoice, ThemeChoice } from "../ui/form/appearance-choices.tsx";
import { useDismiss } from "../ui/use-dismiss.ts";

export function AccountMenu({ compact = false }: { compact?: boolean }) {
  const [open, setOpen] = useState(false);
  const root = useDismiss(open, () => setOpen(false));
  const where = compact ? "top-full right-0 mt-2" : "bottom-full left-0 mb-2";
  return (
    <div class="relative" ref={root}>
      <button
        type="button"
        class={`btn btn-ghost ${compact ? "btn-square btn-sm" : "w-full justify-start gap-3 px-2 font-normal"}`}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <CircleUser size={20} class="flex-none" aria-hidden="true" />
        {!compact && <span class="truncate text-sm">{me.value?.email}</span>}
        <span class="sr-only">{t("account.label")}</span>
      </button>
      {open && (
        <div class={`panel absolute z-40 flex w-72 flex-col gap-4 p-4 shadow-xl ${where}`}>
          <div class="min-w-0">
            <p class="truncate font-medium">{me.value?.email}</p>
            <p class="truncate text-sm text-soft">
              {[me.value?.role && t(`role.${me.value.role}`), me.value?.tenantName]
                .filter(Boolean)
                .join(" · ")}
            </p>
          </div>
          <ThemeChoice />
          <LanguageChoice />
          <label class="flex cursor-pointer items-center justify-between gap-3 text-sm">
            {t("account.stay")}
            <input
              type="checkbox"
              class="toggle toggle-sm"
              checked={staySignedIn.value}
              onChange={(e) => setStaySignedIn(e.currentTarget.checked)}
            />
          </label>
          <div class="flex flex-col gap-1 border-t border-base-300 pt-3">
            <a
              href="/settings/profile"
              class="btn btn-ghost btn-sm justify-start gap-3"
              onClick={() => setOpen(false)}
            >
              <UserRoundCog size={16} aria-hidden="true" /> {t("page.profile")}
            </a>
            <a href="/manual" class="btn btn-ghost btn-sm justify-start gap-3">
              <CircleHelp size={16} aria-hidden="true" /> {t("manual.title")}
            </a>
            <a
              href="/docs"
              target="_blank"
              rel="noopener opener"
              class="btn btn-ghost btn-sm justify-start gap-3"
            >
              <BookOpen size={16} aria-hidden="true" /> {t("account.docs")}
            </a>
            <Button icon={LogOut} class="btn btn-ghost btn-sm justify-start gap-3" onClick={signOut}>
              {" "}
              {t("account.signOut")}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
