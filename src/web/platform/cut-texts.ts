const titled = new WeakSet<Element>();

/** Shows the whole of a truncated text while the pointer is above it. */
export function watchCutTexts(): void {
  addEventListener("pointerover", ({ target }) => {
    const element =
      target instanceof Element && target.closest<HTMLElement>(".truncate, [class*=line-clamp]");
    if (!element || (element.title !== "" && !titled.has(element))) return;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    const isCut = scrollWidth > clientWidth || scrollHeight > clientHeight;
    if (isCut) {
      titled.add(element);
      element.title = element.textContent;
    } else if (titled.delete(element)) element.removeAttribute("title");
  });
}
