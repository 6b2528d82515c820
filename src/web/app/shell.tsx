import { Drama, Search, TriangleAlert } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useOpenAlarms } from "../features/alarms/open-alarm-store.ts";
import { failedWrites } from "../platform/api-client.ts";
import { serverText } from "../platform/i18n/error-texts.ts";
import { t } from "../platform/i18n/i18n.ts";
import { live } from "../platform/live.ts";
import { askReadiness, readiness } from "../platform/readiness.ts";
import { me } from "../platform/session.ts";
import { stopActing } from "../platform/sign-out.ts";
import { Brand } from "../ui/brand.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { ConnectionBanner, useIsDisconnected } from "../ui/page/connection-banner.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Palette } from "./command-palette.tsx";
import { NavBar, NavRail } from "./navigation.tsx";
import { settingsPages } from "./settings-pages.ts";

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

/** Returns whether the page is grayed out. A wall does this itself: a filter around it would prevent a full screen. */
function useIsStale(): boolean {
  const isWall = useIsWall();
  return useIsDisconnected() && !isWall;
}

/** Banners at the top of every screen except walls. */
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

/** Banner on every screen while a user acts as another one. */
function ActingBanner() {
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

/** Interval of checks in ms: a problem must be visible within ten seconds. */
const INTERVAL_MS = 8_000;
/** Interval while the gateway is not ready, so that the banner soon follows the end of the problem. */
const UNREADY_INTERVAL_MS = 5_000;

/** Banner with the reasons why the gateway accepts no data. A lost connection has a banner of its own. */
function ReadinessBanner() {
  const isConnected = live.state.value.kind === "ready";
  const reasons = readiness.value?.reasons ?? [];
  const isUnready = reasons.length > 0;
  const failures = failedWrites.value;
  useEffect(() => {
    if (!isConnected) return;
    const ask = () => document.visibilityState === "visible" && askReadiness();
    ask();
    const timer = setInterval(ask, isUnready ? UNREADY_INTERVAL_MS : INTERVAL_MS);
    document.addEventListener("visibilitychange", ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [isConnected, isUnready, failures]);
  if (!isConnected || !isUnready) return null;
  return (
    <div
      class="flex flex-wrap items-center gap-x-3 gap-y-1 bg-error px-4 py-2 text-sm text-error-content"
      role="alert"
      data-testid="unready"
    >
      <TriangleAlert size={16} class="flex-none" aria-hidden="true" />
      <span class="min-w-0 flex-1 wrap-anywhere">
        <strong>{t("readiness.banner")}</strong>{" "}
        {reasons.map((reason) => serverText(reason, reason.message)).join(" ")}
      </span>
      {settingsPages().includes("system") && (
        <a class="btn btn-xs" href="/settings/system">
          {t("readiness.details")}
        </a>
      )}
    </div>
  );
}
