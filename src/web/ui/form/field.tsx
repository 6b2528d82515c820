import type { ComponentChildren } from "preact";

/** A control with its label; `error` is shown next to it. */
export function Field(props: {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child that the caller gives
    <label class="flex flex-col gap-1.5">
      <span class="text-sm font-medium">{props.label}</span>
      {props.children}
      {props.error && (
        <span role="alert" class="text-sm text-error">
          {props.error}
        </span>
      )}
      {props.hint && <span class="text-sm text-soft">{props.hint}</span>}
    </label>
  );
}
