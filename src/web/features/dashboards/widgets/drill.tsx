import type { ComponentChildren } from "preact";
import { shareToken } from "../../../platform/session.ts";

/** Leads to what a widget speaks of; on a shared dashboard there is nowhere to go. */
export function Drill(props: { href: string; class: string; title?: string; children: ComponentChildren }) {
  const { href, ...rest } = props;
  return shareToken.value === undefined ? (
    <a href={href} {...rest} />
  ) : (
    <span {...rest} class={rest.class.replaceAll(/hover:\S+|link-?\S*/g, "")} />
  );
}
