import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { LocationProvider, useLocation } from "preact-iso";
import { withBase, withoutBase } from "../platform/base.ts";
import { isHeldBack } from "../platform/leave-guard.ts";

/** Lets the screens below it use paths without the base; the router outside of it keeps to the browser's. */
export function BaseLocation({ children }: { children: ComponentChildren }) {
  const outer = useLocation();
  const inner = useMemo(
    () => ({
      ...outer,
      url: withoutBase(outer.url),
      path: withoutBase(outer.path),
      route: (url: string, replace?: boolean) => {
        const leave = () => outer.route(withBase(url), replace);
        if (!isHeldBack(leave)) leave();
      },
    }),
    [outer],
  );
  return <LocationProvider.ctx.Provider value={inner}>{children}</LocationProvider.ctx.Provider>;
}
