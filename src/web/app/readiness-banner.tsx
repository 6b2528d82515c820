import { TriangleAlert } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { failedWrites } from "../platform/api-client.ts";
import { serverText } from "../platform/i18n/error-texts.ts";
import { t } from "../platform/i18n/i18n.ts";
import { live } from "../platform/live.ts";
import { askReadiness, readiness } from "../platform/readiness.ts";
import { settingsPages } from "./settings-pages.ts";

/** A problem has to be visible within ten seconds. */
const INTERVAL_MS = 8_000;
/** While the gateway is not ready, so that the banner does not outlive the problem for long. */
const UNREADY_INTERVAL_MS = 5_000;

/** Banner with the reasons why the gateway takes no data. A lost connection has a banner of its own. */
export function ReadinessBanner() {
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
