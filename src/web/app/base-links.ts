import { options, type VNode } from "preact";
import { BASE, isBelow, withBase } from "../platform/base.ts";

/** Elements with an address, and its attribute. */
const ADDRESSES: Readonly<Record<string, "href" | "src">> = { a: "href", img: "src" };

/** Adds the base to links and images, so that they work as written. */
export function watchBase(): void {
  if (BASE === "") return;
  // The gateway was opened directly, not through its proxy.
  if (!isBelow(location.pathname))
    history.replaceState(null, "", BASE + location.pathname + location.search + location.hash);
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    const attribute = typeof vnode.type === "string" ? ADDRESSES[vnode.type] : undefined;
    const props = vnode.props as Record<string, unknown>; // attributes, because the vnode is an element
    const address = attribute && props[attribute];
    if (attribute && typeof address === "string") props[attribute] = withBase(address);
    before?.(vnode);
  };
}
