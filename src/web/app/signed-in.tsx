import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Onboarding } from "../features/sign-in/onboarding-screen.tsx";
import { loadAppearance } from "../platform/appearance.ts";
import { t } from "../platform/i18n/i18n.ts";
import { live } from "../platform/live.ts";
import { useResource } from "../platform/resource.ts";
import { me, sessionId, startSignIn, token } from "../platform/session.ts";
import { sessionApi } from "../platform/session-api.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Shell } from "./shell.tsx";

/** Everything behind the sign-in: without a token it leaves for the hosted page and comes back to the same address. */
export function SignedIn({ children }: { children: ComponentChildren }) {
  const { url } = useLocation();
  const signedIn = token.value !== undefined;
  useEffect(() => {
    if (!signedIn) startSignIn(url);
  }, [signedIn]);
  if (!signedIn) return <p class="grid h-full place-items-center text-soft">{t("signIn.leaving")}</p>;
  return <WithProfile>{children}</WithProfile>;
}

function WithProfile({ children }: { children: ComponentChildren }) {
  const profile = useResource(sessionApi.me, [sessionId.value]);
  const ready = profile.data !== undefined && !profile.data.onboardingRequired;
  const existing = useRef(profile.data);
  // Once an answer: what the person changes since then is in `me` alone.
  if (profile.data !== existing.current) {
    existing.current = profile.data;
    if (profile.data) me.value = profile.data;
  }
  useEffect(() => {
    if (!ready) return;
    loadAppearance(true);
    live.start();
    return () => live.stop();
  }, [ready]);
  if (profile.error) {
    return (
      <div class="mx-auto mt-16 max-w-lg p-4">
        <ErrorNote error={profile.error} onRetry={profile.reload} />
      </div>
    );
  }
  if (!profile.data) return <p class="grid h-full place-items-center text-soft">{t("common.loading")}</p>;
  if (!ready) return <Onboarding onDone={profile.set} />;
  return <Shell>{children}</Shell>;
}
