import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { keepToken, startSignIn, takePendingSignIn, token } from "../../platform/session.ts";
import { sessionApi } from "../../platform/session-api.ts";
import { Entrance } from "../../ui/page/entrance.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";

type Failure = { readonly kind: "stale" } | { readonly kind: "refused"; readonly error: unknown };

/** Screen that receives the one-time code of the hosted sign-in page. */
export function CallbackScreen() {
  const { query, route } = useLocation();
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  useEffect(() => {
    const pending = takePendingSignIn(query.state);
    const code = query.code;
    if (!pending && token.value !== undefined) {
      // A signed-in user came back by the back button or a reload.
      route("/", true);
      return;
    }
    if (!pending || !code) {
      setFailure({ kind: "stale" });
      return;
    }
    sessionApi.exchange(code, pending.verifier).then(
      (response) => {
        keepToken(response.accessToken);
        route(pending.returnTo, true);
      },
      (error: unknown) => setFailure({ kind: "refused", error }),
    );
  }, []);
  if (!failure) return <p class="grid h-full place-items-center text-soft">{t("signIn.arriving")}</p>;
  return (
    <Entrance title={t("signIn.failed")}>
      <div class="flex flex-col gap-4">
        {failure.kind === "stale" ? <p>{t("signIn.stale")}</p> : <ErrorNote error={failure.error} />}
        <button type="button" class="btn btn-primary" onClick={() => startSignIn("/")}>
          {t("signIn.again")}
        </button>
      </div>
    </Entrance>
  );
}
