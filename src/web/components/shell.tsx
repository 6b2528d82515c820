import { Cpu, Gauge } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { t } from "../i18n/i18n.ts";
import { live } from "../state/live.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";

const ITEMS = [
  { path: "/", key: "nav.overview", Icon: Gauge },
  { path: "/devices", key: "nav.devices", Icon: Cpu },
] as const;

function isCurrent(path: string, at: string): boolean {
  return path === "/" ? at === "/" : at === path || at.startsWith(`${path}/`);
}

function NavItems({ className }: { className: string }) {
  const { path: at } = useLocation();
  return ITEMS.map(({ path, key, Icon }) => (
    <a key={path} href={path} class={className} aria-current={isCurrent(path, at) ? "page" : undefined}>
      <Icon size={18} aria-hidden="true" />
      {t(key)}
    </a>
  ));
}

function LinkState() {
  const ready = live.state.value.kind === "ready";
  return (
    <span class="flex items-center gap-2.5 text-sm text-soft">
      <span class={`lamp ${ready ? "lamp-on" : "lamp-wait"}`} aria-hidden="true" />
      {ready ? t("connection.live") : t("connection.connecting")}
    </span>
  );
}

const RAIL_ITEM =
  "flex items-center gap-3 rounded-field px-3 py-2 font-medium text-soft hover:bg-base-200 hover:text-base-content aria-[current=page]:bg-base-200 aria-[current=page]:text-base-content aria-[current=page]:shadow-[inset_3px_0_0_var(--color-primary)]";
const BAR_ITEM =
  "flex flex-1 flex-col items-center gap-0.5 border-t-2 border-transparent py-2 text-xs font-medium text-soft aria-[current=page]:border-primary aria-[current=page]:text-base-content";

export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <div class="flex h-dvh flex-col lg:flex-row">
      <a
        href="#content"
        class="btn btn-primary btn-sm absolute top-2 left-2 z-50 -translate-y-20 focus:translate-y-0"
      >
        {t("nav.skip")}
      </a>
      <header class="flex items-center justify-between border-b border-base-300 bg-base-100 px-4 py-2 lg:hidden">
        <a href="/" class="py-1" aria-label="Lineside">
          <Brand />
        </a>
        <AccountMenu compact />
      </header>
      <aside class="hidden w-56 flex-none flex-col border-r border-base-300 bg-base-100 lg:flex">
        <a href="/" class="px-5 py-5" aria-label="Lineside">
          <Brand />
        </a>
        <nav class="flex flex-1 flex-col gap-1 px-3" aria-label={t("nav.label")}>
          <NavItems className={RAIL_ITEM} />
        </nav>
        <div class="border-t border-base-300 px-5 py-3">
          <LinkState />
        </div>
        <div class="border-t border-base-300 p-3">
          <AccountMenu />
        </div>
      </aside>
      <div class="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionBanner />
        <main
          id="content"
          tabIndex={-1}
          class="min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-none"
        >
          {children}
        </main>
      </div>
      <nav class="flex border-t border-base-300 bg-base-100 lg:hidden" aria-label={t("nav.label")}>
        <NavItems className={BAR_ITEM} />
      </nav>
    </div>
  );
}
