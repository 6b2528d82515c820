/**
 * Height of a widget in one column: two `half` widgets share a row, `content` widgets are as high as their content, and `chart` widgets have a
 * height of their own.
 */
export type StackedForm = "half" | "content" | "chart";

/** Returns the number of columns (of two) for each widget. Adjacent half-width widgets share a row. */
export function stackedSpans(forms: readonly StackedForm[]): (1 | 2)[] {
  const spans: (1 | 2)[] = [];
  for (let index = 0; index < forms.length; index++) {
    const isPair = forms[index] === "half" && forms[index + 1] === "half";
    if (!isPair) {
      spans.push(2);
      continue;
    }
    spans.push(1, 1);
    index++;
  }
  return spans;
}
