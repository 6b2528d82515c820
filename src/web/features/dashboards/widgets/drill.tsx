import type { ComponentChildren } from "preact";
import { shareToken } from "../../../platform/session.ts";

/** Links to the subject of a widget, except on a shared dashboard. */
export function Drill(props: { href: string; class: string; title?: string; children: ComponentChildren }) {
  const { href, ...rest } = props;
  return shareToken.value === undefined ? (
    <a href={href} {...rest} />
  ) : (
    <span {...rest} class={rest.class.replaceAll(/hover:\S+|link-?\S*/g, "")} />
  );
}
