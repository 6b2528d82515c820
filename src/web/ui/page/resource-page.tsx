import type { ComponentChildren } from "preact";
import type { Resource } from "../../platform/resource.ts";
import { isMissing, Loaded } from "./loaded.tsx";
import { NotFoundScreen } from "./not-found.tsx";
import { PageHead } from "./page-head.tsx";
import { Trail } from "./trail.tsx";

interface Props<T> {
  readonly of: Pick<Resource<T>, "data" | "error" | "reload">;
  /** The list that the page belongs to. */
  readonly back: { readonly href: string; readonly text: string };
  readonly title: (data: T) => string;
  readonly detail?: (data: T) => ComponentChildren;
  /** Buttons beside the title. */
  readonly actions?: (data: T) => ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** The page of one item: link to its list, title, actions and content. */
export function ResourcePage<T>({ of, back, title, detail, actions, children }: Props<T>) {
  if (isMissing(of.error)) return <NotFoundScreen />;
  return (
    <>
      <Trail steps={[back]} />
      <Loaded of={of}>
        {(data) => (
          <>
            <PageHead title={title(data)} detail={detail?.(data)}>
              {actions?.(data)}
            </PageHead>
            {children(data)}
          </>
        )}
      </Loaded>
    </>
  );
}
