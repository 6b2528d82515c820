import { expect, spyOn, test } from "bun:test";
import { watchCutTexts } from "../../../src/web/platform/cut-texts.ts";

class FakeElement {
  title = "";
  scrollWidth = 0;
  readonly clientWidth = 100;
  readonly scrollHeight = 10;
  readonly clientHeight = 10;
  readonly textContent = "A long name";
  closest = () => this;
  removeAttribute = () => {
    this.title = "";
  };
}

test("a cut text has a title until it fits, and a title of the page's own stays", () => {
  const existing = Object.getOwnPropertyDescriptor(globalThis, "Element");
  Object.defineProperty(globalThis, "Element", { value: FakeElement, configurable: true });
  const listens = spyOn(globalThis, "addEventListener").mockImplementation(() => undefined);
  try {
    watchCutTexts();
    const hover = listens.mock.calls[0]?.[1] as unknown as (event: { target: FakeElement }) => void;
    const titleAt = (target: FakeElement, scrollWidth: number) => {
      target.scrollWidth = scrollWidth;
      hover({ target });
      return target.title;
    };
    const cut = new FakeElement();
    expect([80, 120, 100, 120].map((width) => titleAt(cut, width))).toEqual([
      "",
      "A long name",
      "",
      "A long name",
    ]);
    const own = new FakeElement();
    own.title = "Explained";
    expect([120, 80].map((width) => titleAt(own, width))).toEqual(["Explained", "Explained"]);
  } finally {
    listens.mockRestore();
    if (existing) Object.defineProperty(globalThis, "Element", existing);
    else Reflect.deleteProperty(globalThis, "Element");
  }
});
