import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { withBase } from "../platform/base.ts";
import { t } from "../platform/i18n/i18n.ts";
import { Entrance } from "../ui/entrance.tsx";

/** A mistake of ours shows a page that helps on, not a blank one; the cause goes to the browser's console. */
export function CrashGuard({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((cause: unknown) => reportError(cause));
  if (!error) return children;
  return (
    <Entrance title={t("error.title")}>
      <p class="mb-4">{t("error.unexpected")}</p>
      <div class="flex gap-2">
        <button type="button" class="btn btn-primary" onClick={() => location.reload()}>
          {t("error.reload")}
        </button>
        <button type="button" class="btn" onClick={() => location.assign(withBase("/"))}>
          {t("nav.overview")}
        </button>
      </div>
    </Entrance>
  );
}
