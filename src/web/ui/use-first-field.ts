import { useLayoutEffect, useRef } from "preact/hooks";

/** Gives a form's first field the focus, before the form is painted: later, what somebody types at once would end in the wrong field. */
export function useFirstField() {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector("input")?.focus(), []);
  return form;
}
