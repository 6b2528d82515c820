import type { Page } from "playwright-core";

/** Widths of windows on desks, from a small tablet to a large monitor. */
export const DESKTOP_WIDTHS = [1024, 1280, 1440, 1920] as const;

/**
 * Texts that the page cuts off or lets run out of their boxes. An ellipsis is right if the whole text is in a title, at the latest when the pointer
 * is above it; what scrolls is right.
 */
export function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const SLACK_PX = 1.5;
    const found = new Set<string>();
    const main = document.querySelector("main");
    for (const part of [document.documentElement, main])
      if (part !== null && part.scrollWidth > part.clientWidth) found.add(`${part.localName} is too wide`);
    const scrolls = (style: CSSStyleDeclaration, axis: "overflowX" | "overflowY") =>
      /auto|scroll/.test(style[axis]);
    const isClamped = (style: CSSStyleDeclaration) =>
      style.textOverflow === "ellipsis" || (style.webkitLineClamp !== "none" && style.webkitLineClamp !== "");
    const isTold = (element: Element): boolean => {
      element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
      return element.closest("[title]:not([title=''])") !== null;
    };
    /** Notes a text that lies outside one of the boxes around it. */
    const check = (node: Node, text: string): void => {
      const range = document.createRange();
      range.selectNodeContents(node);
      const rects = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
      if (rects.length === 0) return;
      const [left, right] = [Math.min(...rects.map((r) => r.left)), Math.max(...rects.map((r) => r.right))];
      const [top, bottom] = [Math.min(...rects.map((r) => r.top)), Math.max(...rects.map((r) => r.bottom))];
      /** Description of a box that lets its text run out. */
      let runOut: string | undefined;
      for (let box = node.parentElement; box !== null && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (style.display === "inline" || style.display === "contents") continue;
        const edge = box.getBoundingClientRect();
        // Only for screen readers, or not on the screen at all.
        if (edge.width <= 1 || edge.height <= 1 || style.visibility === "hidden") return;
        const isOutX = right > edge.right + SLACK_PX || left < edge.left - SLACK_PX;
        // A line may be less high than its letters.
        const isOutY = bottom > edge.bottom + 6 || top < edge.top - 6;
        const named = `${box.localName}.${box.className.toString().slice(0, 60)}: ${text.trim().slice(0, 60)}`;
        if (isOutX && style.overflowX === "visible") runOut ??= named;
        else if (isOutX && !scrolls(style, "overflowX")) {
          if (!isClamped(style) || !isTold(box)) found.add(named);
          return;
        }
        if (isOutY && style.overflowY !== "visible" && !scrolls(style, "overflowY")) {
          if (!isClamped(style) || !isTold(box)) found.add(`too high: ${text.trim().slice(0, 60)}`);
          return;
        }
        if (scrolls(style, "overflowX") || scrolls(style, "overflowY")) return;
        if (style.position === "absolute" || style.position === "fixed") return;
      }
      if (runOut !== undefined) found.add(runOut);
    };
    const root = document.querySelector("dialog[open]") ?? document.body;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || parent.closest("svg, option, select, textarea, [aria-hidden='true']")) continue;
      if ((node.nodeValue ?? "").trim() !== "" && parent.checkVisibility()) check(node, node.nodeValue ?? "");
    }
    const pen = document.createElement("canvas").getContext("2d");
    for (const select of root.querySelectorAll("select")) {
      if (pen === null || !select.checkVisibility()) continue;
      const style = getComputedStyle(select);
      pen.font = style.font;
      const text = select.selectedOptions[0]?.textContent ?? "";
      const room =
        select.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      if (pen.measureText(text).width > room + SLACK_PX && !isTold(select))
        found.add(`select: ${text} (${Math.round(room)} px)`);
    }
    return [...found];
  });
}

/** Returns the clipped texts of a page at all desktop widths, which it keeps none of. */
export async function clippedAtWidths(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of DESKTOP_WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    found.push(...(await clippedTexts(page)).map((text) => `${width} px: ${text}`));
  }
  return found;
}
