import type { ComponentChildren } from "preact";
import { useTitle } from "./use-title.ts";

export function PageHead(props: {
  title: string;
  /** Field that replaces the title while it is edited. */
  field?: ComponentChildren;
  children?: ComponentChildren;
  detail?: ComponentChildren;
}) {
  useTitle(props.title);
  return (
    <div class="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div class="min-w-0">
        <h1
          class={props.field ? "sr-only" : "line-clamp-3 text-xl font-semibold tracking-tight break-words"}
          title={props.title}
        >
          {props.title}
        </h1>
        {props.field}
        {props.detail}
      </div>
      {props.children && <div class="flex flex-wrap items-center gap-2">{props.children}</div>}
    </div>
  );
}
