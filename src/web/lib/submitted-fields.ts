/** Reads a submitted form, which the page does not send itself. Returns the text of a field. */
export function submittedFields(
  event: SubmitEvent & { currentTarget: HTMLFormElement },
): (name: string) => string {
  event.preventDefault();
  const data = new FormData(event.currentTarget);
  return (name) => String(data.get(name) ?? "");
}
