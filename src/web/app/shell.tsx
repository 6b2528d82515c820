import {
  Activity,
  BellRing,
  Cable,
  CalendarClock,
  CloudUpload,
  Cpu,
  Gauge,
  LayoutDashboard,
  Search,
  Settings,
  Workflow,
} from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../platform/i18n/i18n.ts";
import { live } from "../platform/live.ts";
import { me } from "../platform/session.ts";
import { Brand } from "../ui/brand.tsx";
import { ConnectionBanner } from "../ui/connection-banner.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { ActingBanner } from "./acting-banner.tsx";
import { Palette } from "./command-palette.tsx";
import { ReadinessBanner } from "./readiness-banner.tsx";

const ITEMS = [
  { path: "/", key: "nav.overview", Icon: Gauge },
  { path: "/dashboards", key: "nav.dashboards", Icon: LayoutDashboard },
  { path: "/devices", key: "nav.devices", Icon: Cpu },
  { path: "/alarms", key: "nav.alarms", Icon: BellRing },
  { path: "/pipelines", key: "nav.pipelines", Icon: Workflow },
  { path: "/integrations", key: "nav.integrations", Icon: Cable },
  { path: "/uplinks", key: "nav.uplinks", Icon: CloudUpload },
  { path: "/scheduler", key: "nav.scheduler", Icon: CalendarClock },
  { path: "/generators", key: "nav.generators", Icon: Activity },
  { path: "/settings", key: "nav.settings", Icon: Settings },
] as const;

function isCurrent(path: string, time: string): boolean {
  return path === "/" ? time === "/" : time === path || time.startsWith(`${path}/`);
}

function NavItems({ className }: { className: string }) {
  const { path: time } = useLocation();
  return ITEMS.map(({ path, key, Icon }) => (
    <a key={path} href={path} class={className} aria-current={isCurrent(path, time) ? "page" : undefined}>
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

/** Banners that every screen shows at its top. */
const Banners = () => (
  <>
    <ActingBanner />
    <ConnectionBanner />
    <ReadinessBanner />
  </>
);

const RAIL_ITEM =
  "flex items-center gap-3 rounded-field px-3 py-2 font-medium text-soft hover:bg-base-200 hover:text-base-content aria-[current=page]:bg-base-200 aria-[current=page]:text-base-content aria-[current=page]:shadow-[inset_3px_0_0_var(--color-primary)]";
const BAR_ITEM =
  "flex min-w-17 flex-1 flex-col items-center gap-0.5 border-t-2 border-transparent py-2 text-xs font-medium text-soft aria-[current=page]:border-primary aria-[current=page]:text-base-content";

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const main = useRef<HTMLElement>(null);
  const [finding, setFinding] = useState(false);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    main.current?.scrollTo(0, 0);
    // On a phone there are more screens than the bar has room for.
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      setFinding(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div class="flex h-dvh flex-col lg:flex-row print:block print:h-auto">
      <a
        href="#content"
        class="btn btn-primary btn-sm absolute print:hidden top-2 left-2 z-50 -translate-y-20 focus:translate-y-0"
      >
        {t("nav.skip")}
      </a>
      <header class="flex items-center justify-between border-b border-base-300 bg-base-100 px-4 py-2 lg:hidden print:hidden">
        <a href="/" class="min-w-0 py-1">
          <Brand site={me.value?.tenantName} />
        </a>
        <span class="flex items-center gap-1">
          <IconButton
            icon={Search}
            size={18}
            label={t("palette.label")}
            class="btn btn-ghost btn-square btn-sm"
            onClick={() => setFinding(true)}
          />
          <AccountMenu compact />
        </span>
      </header>
      <aside class="hidden w-56 flex-none flex-col border-r border-base-300 bg-base-100 lg:flex print:hidden">
        <a href="/" class="px-5 py-5">
          <Brand site={me.value?.tenantName} />
        </a>
        <button
          type="button"
          class="btn btn-sm mx-3 mb-4 justify-start gap-3 font-normal text-soft"
          onClick={() => setFinding(true)}
        >
          <Search size={15} aria-hidden="true" />
          <span class="flex-1 text-left">{t("palette.open")}</span>
          <kbd class="reading text-xs">Ctrl K</kbd>
        </button>
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
      <div class="flex min-h-0 min-w-0 flex-1 flex-col print:block">
        <Banners />
        <main
          ref={main}
          id="content"
          tabIndex={-1}
          class="min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-none print:overflow-visible"
        >
          {children}
        </main>
      </div>
      <nav
        ref={bar}
        class="flex overflow-x-auto border-t border-base-300 bg-base-100 lg:hidden print:hidden"
        aria-label={t("nav.label")}
      >
        <NavItems className={BAR_ITEM} />
      </nav>
      {finding && <Palette onClose={() => setFinding(false)} />}
    </div>
  );
}
