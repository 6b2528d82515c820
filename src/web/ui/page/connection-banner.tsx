import { WifiOff } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { live } from "../../platform/live.ts";
import { now } from "../../platform/now.ts";

const PATIENCE_MS = 1200;

/** Returns true if the live connection has been lost for more than a moment: the shown data may be old. */
export function useIsDisconnected(): boolean {
  const { kind } = live.state.value;
  const [late, setLate] = useState(false);
  const ready = kind === "ready" || kind === "idle";
  useEffect(() => {
    setLate(false);
    if (ready) return;
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [ready]);
  return !ready && late;
}

/** `isPassive`: on a wall display, without a button and readable from afar. */
export function ConnectionBanner({ isPassive = false }: { isPassive?: boolean }) {
  const state = live.state.value;
  if (!useIsDisconnected()) return null;
  const seconds = state.kind === "waiting" ? Math.max(0, Math.ceil((state.retryAt - now.value) / 1000)) : 0;
  return (
    <div
      class={`flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 ${isPassive ? "bg-error text-xl text-error-content" : "bg-neutral text-sm text-neutral-content"}`}
      role="status"
    >
      <WifiOff size="1.15em" class="flex-none" aria-hidden="true" />
      <span class="min-w-0 flex-1">
        <strong>{t("connection.lost")}</strong> {t("connection.lostDetail")}{" "}
        {seconds > 0 ? t("connection.retryIn", { seconds }) : t("connection.retrying")}
      </span>
      {state.kind === "waiting" && !isPassive && (
        <button type="button" class="btn btn-xs" onClick={() => live.retryNow()}>
          {t("connection.retryNow")}
        </button>
      )}
    </div>
  );
}
