// A page with unsaved input intercepts navigation: links, the browser's buttons, and screens that open another page.

/** Returns whether the page delays `leave`, which then runs once the user agrees to discard unsaved input. */
type Guard = (leave: () => void) => boolean;

/** Guard of each visible form → URL of its page. */
const guards = new Map<Guard, string>();

/** Adds the guard of a visible form; the result removes it. */
export function addLeaveGuard(guard: Guard): () => void {
  guards.set(guard, location.href);
  return () => guards.delete(guard);
}

const holderOf = (leave: () => void) => [...guards].find(([guard]) => guard(leave));

export const isHeldBack: Guard = (leave) => holderOf(leave) !== undefined;

// Registered here rather than in the page: the router, which must not get the event, would otherwise get it first.
addEventListener("popstate", (e) => {
  const [, href] = holderOf(() => history.back()) ?? [];
  if (href === undefined) return;
  e.stopImmediatePropagation();
  history.pushState(null, "", href);
});
