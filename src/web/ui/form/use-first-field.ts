import { useLayoutEffect, useRef } from "preact/hooks";

/** Focuses a form's first field before the form is painted, so that immediate typing reaches the right field. */
export function useFirstField() {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector("input")?.focus(), []);
  return form;
}
