import { t } from "../platform/i18n/i18n.ts";
import type { Resource } from "../platform/resource.ts";
import { ErrorNote } from "./error-note.tsx";

/** Stands in the place of something that is loading, or that could not be loaded. */
export function Pending({
  resource: { error, reload },
}: {
  resource: Pick<Resource<unknown>, "error" | "reload">;
}) {
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  return <p class="text-soft">{t("common.loading")}</p>;
}
