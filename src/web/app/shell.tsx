import { Search } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useOpenAlarms } from "../features/alarms/open-alarm-store.ts";
import { t } from "../platform/i18n/i18n.ts";
import { live } from "../platform/live.ts";
import { me } from "../platform/session.ts";
import { Brand } from "../ui/brand.tsx";
import { ConnectionBanner, useIsDisconnected } from "../ui/connection-banner.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { ActingBanner } from "./acting-banner.tsx";
import { Palette } from "./command-palette.tsx";
import { NavBar, NavRail } from "./navigation.tsx";
import { ReadinessBanner } from "./readiness-banner.tsx";

function LinkState() {
  const ready = live.state.value.kind === "ready";
  return (
    <span class="flex items-center gap-2.5 text-sm text-soft">
      <span class={`lamp ${ready ? "lamp-on" : "lamp-wait"}`} aria-hidden="true" />
      {ready ? t("connection.live") : t("connection.connecting")}
    </span>
  );
}

/** Returns whether a dashboard covers the whole screen. */
const useIsWall = (): boolean => useLocation().query.wall === "1";

/** A wall greys out by itself: a filter around it would keep it from filling the screen. */
function useIsStale(): boolean {
  const isWall = useIsWall();
  return useIsDisconnected() && !isWall;
}

/** Banners that every screen but a wall shows at its top. */
function Banners() {
  if (useIsWall()) return null;
  return (
    <>
      <ActingBanner />
      <ConnectionBanner />
      <ReadinessBanner />
    </>
  );
}

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  useOpenAlarms();
  const isStale = useIsStale();
  const main = useRef<HTMLElement>(null);
  const [finding, setFinding] = useState(false);
  useEffect(() => main.current?.scrollTo(0, 0), [path]);
  useLayoutEffect(() => {
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
        <NavRail />
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
          class={`min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-none print:overflow-visible ${isStale ? "grayscale" : ""}`}
        >
          {children}
        </main>
      </div>
      <NavBar />
      {finding && <Palette onClose={() => setFinding(false)} />}
    </div>
  );
}
