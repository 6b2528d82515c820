import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { startSignIn, token } from "../../platform/session.ts";
import { sessionApi } from "../../platform/session-api.ts";
import { signOut } from "../../platform/sign-out.ts";
import { Entrance } from "../../ui/page/entrance.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";

/** Target of invitations: leads to the hosted sign-in page with the address filled in, unless somebody is already signed in here. */
export function SignInScreen() {
  const invited = (useLocation().query.login_hint ?? "").trim();
  const signedIn = token.value !== undefined;
  useEffect(() => {
    if (!signedIn) startSignIn("/", invited);
  }, [signedIn]);
  if (!signedIn) return <p class="grid h-full place-items-center text-soft">{t("signIn.leaving")}</p>;
  return <AlreadySignedIn invited={invited} />;
}

function AlreadySignedIn({ invited }: { invited: string }) {
  const { route } = useLocation();
  const profile = useResource(sessionApi.me, []);
  const current = profile.data?.email;
  const isSame = invited === "" || invited.toLowerCase() === current?.toLowerCase();
  useEffect(() => {
    if (current !== undefined && isSame) route("/", true);
  }, [current]);
  if (current === undefined || isSame)
    return (
      <Entrance title={t("accept.title")}>
        <Loaded of={profile} />
      </Entrance>
    );
  return (
    <Entrance title={t("accept.title")}>
      <p class="mb-4 wrap-anywhere">{t("accept.other", { current, invited })}</p>
      <div class="flex flex-col gap-3">
        <button type="button" class="btn btn-primary h-auto min-h-10 py-2 wrap-anywhere" onClick={signOut}>
          {t("accept.switch", { invited })}
        </button>
        <a class="btn h-auto min-h-10 py-2 wrap-anywhere" href="/">
          {t("accept.stay", { current })}
        </a>
      </div>
    </Entrance>
  );
}
