import type { ComponentChildren } from "preact";
import { ApiError } from "../../platform/api-client.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Resource } from "../../platform/resource.ts";
import { ErrorNote } from "./error-note.tsx";
import { NotFoundScreen } from "./not-found.tsx";

const WIDTHS = ["w-2/3", "w-1/2", "w-3/5"];

/** Placeholder for content that is loading. */
export const Skeleton = () => (
  <div class="flex flex-col gap-3 py-1" role="status">
    {WIDTHS.map((width) => (
      <span
        key={width}
        class={`h-3 max-w-md animate-pulse rounded bg-base-300 ${width}`}
        aria-hidden="true"
      />
    ))}
    <span class="sr-only">{t("common.loading")}</span>
  </div>
);

/** True if nothing exists at the address; 400 means that its id is not valid. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && [400, 404].includes(error.status);

interface Props<T> {
  readonly of: Pick<Resource<T>, "data" | "error"> & Partial<Pick<Resource<T>, "reload">>;
  /** Shows the "not found" page if nothing exists at the address. */
  readonly isPage?: boolean;
  /** Hides errors while the gateway restarts. */
  readonly ignoresErrors?: boolean;
  /** Content until the first response, in place of the skeleton. */
  readonly skeleton?: ComponentChildren;
  readonly children?: (data: T) => ComponentChildren;
}

/** Waits for data: a skeleton before the first response, and an error with a retry button, above the previous data if there is any. */
export function Loaded<T>({ of, isPage, ignoresErrors, skeleton = <Skeleton />, children }: Props<T>) {
  const { data } = of;
  const error = ignoresErrors ? undefined : of.error;
  if (isPage && isMissing(error)) return <NotFoundScreen />;
  return (
    <>
      <ErrorNote error={error} {...(of.reload && { onRetry: of.reload })} />
      {data === undefined ? error === undefined && skeleton : children?.(data)}
    </>
  );
}
