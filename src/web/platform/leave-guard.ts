// A page that holds typed work stops what would leave it: links, the browser's buttons, and the screens that open another one.

/** Returns whether the page holds `leave` back: it then runs once the reader has agreed to lose the typed work. */
type Guard = (leave: () => void) => boolean;

let current: { readonly guard: Guard; readonly href: string } | undefined;

/** Sets the guard of the page that is shown; the result removes it. */
export function setLeaveGuard(guard: Guard): () => void {
  const own = { guard, href: location.href };
  current = own;
  return () => {
    if (current === own) current = undefined;
  };
}

export const isHeldBack: Guard = (leave) => current?.guard(leave) ?? false;

// Here and not in the page, because the router, which must not see the event, would hear of it first.
addEventListener("popstate", (e) => {
  const href = current?.href;
  if (href === undefined || !isHeldBack(() => history.back())) return;
  e.stopImmediatePropagation();
  history.pushState(null, "", href);
});
