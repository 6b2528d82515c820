/**
 * How a widget takes its height where widgets are stacked in one column: `half` ones stand two in a row, `content` ones are as high as
 * what they show, `chart` ones have a height of their own.
 */
export type StackedForm = "half" | "content" | "chart";

/** Returns for each widget how many of the two columns it takes: neighbours of half width share a row. */
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
