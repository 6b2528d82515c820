import type { ComponentChildren } from "preact";

export function Empty(props: {
  title: string;
  hint: string;
  children?: ComponentChildren;
  icon?: ComponentChildren;
}) {
  return (
    <div class="flex flex-col items-center gap-3 px-6 py-12 text-center">
      <div class="text-soft">{props.icon}</div>
      <p class="text-lg font-medium">{props.title}</p>
      <p class="max-w-md text-soft">{props.hint}</p>
      {props.children}
    </div>
  );
}
