import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../platform/i18n/i18n.ts";
import type { SettingsPage } from "./settings-pages.ts";

const GROUPS = {
  account: ["profile", "security"],
  site: ["users", "api-keys", "profiles", "notifications", "site", "branding", "audit", "outbox"],
  gateway: ["backups", "system", "log"],
} as const satisfies Record<string, readonly SettingsPage[]>;

type Group = keyof typeof GROUPS;
const groups = Object.keys(GROUPS) as Group[]; // the table's own keys

/** Grouped pages of the settings: a list at the side, a scrolling row if there is little space, or a selection on a phone. */
export function SettingsNav({ pages, current }: { pages: readonly SettingsPage[]; current: SettingsPage }) {
  const { route } = useLocation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [current]);
  const shown = groups
    .map((id) => ({ id, pages: GROUPS[id].filter((page) => pages.includes(page)) }))
    .filter((group) => group.pages.length > 0);
  return (
    <>
      <select
        class="select w-full sm:hidden"
        aria-label={t("nav.settings")}
        value={current}
        onChange={(e) => {
          const page = e.currentTarget.value;
          e.currentTarget.value = current; // until it is there: the page may hold unsaved work
          route(`/settings/${page}`);
        }}
      >
        {shown.map((group) => (
          <optgroup key={group.id} label={t(`settings.group.${group.id}`)}>
            {group.pages.map((page) => (
              <option key={page} value={page} selected={page === current}>
                {t(`page.${page}`)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <nav
        ref={nav}
        aria-label={t("nav.settings")}
        class="flex max-sm:hidden overflow-x-auto overflow-y-hidden border-b border-base-300 [scrollbar-width:thin] xl:flex-col xl:gap-5 xl:overflow-visible xl:border-0"
      >
        {shown.map((group) => (
          <div key={group.id} class="flex xl:flex-col">
            <h2 class="hidden px-3 pb-1 text-xs font-semibold text-soft xl:block">
              {t(`settings.group.${group.id}`)}
            </h2>
            {group.pages.map((page) => (
              <a
                key={page}
                href={`/settings/${page}`}
                aria-current={page === current ? "page" : undefined}
                class="-mb-px border-b-2 border-transparent px-3 py-2.5 text-sm font-medium whitespace-nowrap text-soft hover:text-base-content focus-visible:-outline-offset-2 aria-[current=page]:border-primary aria-[current=page]:text-base-content xl:mb-0 xl:rounded-field xl:border-b-0 xl:border-l-2 xl:py-1.5 xl:aria-[current=page]:bg-base-200"
              >
                {t(`page.${page}`)}
              </a>
            ))}
          </div>
        ))}
      </nav>
    </>
  );
}
