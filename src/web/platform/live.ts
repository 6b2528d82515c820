import { useEffect, useRef } from "preact/hooks";
import type { RealtimeMessage, SubscriptionSpec } from "../lib/realtime-types.ts";
import { currentPath, ownAddress } from "./base.ts";
import { serverText } from "./i18n/error-texts.ts";
import { RealtimeClient } from "./realtime.ts";
import { bearer, hasShareEnded, keepToken, leaveActing, shareToken, startSignIn } from "./session.ts";
import { toast } from "./toasts.ts";

export const live = new RealtimeClient({
  url: () => `${ownAddress().replace(/^http/, "ws")}/api/ws`,
  token: () => bearer.value,
  onUnauthorized: () => {
    if (shareToken.value) {
      hasShareEnded.value = true;
      return;
    }
    if (leaveActing()) return;
    keepToken(undefined);
    startSignIn(currentPath());
  },
  onRefused: (reason) => toast("error", serverText(reason, reason.message)),
});

/** Subscribes while the component is mounted; a change of `spec` (compared by content) subscribes again. */
export function useLive(
  spec: SubscriptionSpec | undefined,
  handler: (message: RealtimeMessage) => void,
): void {
  const current = useRef(handler);
  current.current = handler;
  const content = spec && JSON.stringify(spec);
  useEffect(() => {
    if (!content) return;
    // `content` is the same specification, made comparable.
    return live.subscribe(JSON.parse(content) as SubscriptionSpec, (message) => current.current(message));
  }, [content]);
}

export function watchNetwork(): void {
  addEventListener("online", () => live.retryNow());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") live.retryNow();
  });
}
