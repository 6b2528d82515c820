import { options, type VNode } from "preact";
import { BASE, isBelow, withBase } from "../platform/base.ts";

/** Each element with an address, and the attribute that has it. */
const ADDRESSES: Readonly<Record<string, "href" | "src">> = { a: "href", img: "src" };

/** Gives links and images the base, so that each of them works as the console writes it. */
export function watchBase(): void {
  if (BASE === "") return;
  // Somebody has opened the gateway itself, not by its proxy.
  if (!isBelow(location.pathname))
    history.replaceState(null, "", BASE + location.pathname + location.search + location.hash);
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    const attribute = typeof vnode.type === "string" ? ADDRESSES[vnode.type] : undefined;
    const props = vnode.props as Record<string, unknown>; // of an element: its attributes
    const address = attribute && props[attribute];
    if (attribute && typeof address === "string") props[attribute] = withBase(address);
    before?.(vnode);
  };
}
