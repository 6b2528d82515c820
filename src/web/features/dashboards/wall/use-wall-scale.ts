import { useLayoutEffect, useState } from "preact/hooks";
import { ONE_COLUMN_BELOW } from "../board/grid.ts";

/** Height of a row with its gap, and of everything except the board, in px at the default text size. */
const ROW_PX = 74;
const HEAD_PX = 120;
/** Width for the texts of twelve columns at the default size, in px. */
const WIDTH_PX = 1_200;
/** Min. scale. Smaller texts are unreadable, and a board with more rows scrolls. */
const SCALE_MIN = 0.4;
const SCALE_MAX = 6;

/** Returns the scale of the texts of a wall at which a board with that many rows fills the screen; 1 on a phone, where widgets are stacked. */
export function wallScale(rows: number, screen: { readonly width: number; readonly height: number }): number {
  if (screen.width < ONE_COLUMN_BELOW) return 1;
  const byHeight = screen.height / (Math.max(1, rows) * ROW_PX + HEAD_PX);
  const byWidth = screen.width / WIDTH_PX;
  return Math.min(SCALE_MAX, Math.max(SCALE_MIN, Math.min(byHeight, byWidth)));
}

/** px */
const TEXT_SIZE = 16;

/** Sets the text size of the page, and thereby all relative sizes, so that the rows of a board fill the screen. Returns false until it is set. */
export function useWallScale(rows: number): boolean {
  const [isSet, setSet] = useState(false);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const apply = () => {
      style.fontSize = `${TEXT_SIZE * wallScale(rows, { width: innerWidth, height: innerHeight })}px`;
    };
    apply();
    setSet(true);
    addEventListener("resize", apply);
    return () => {
      removeEventListener("resize", apply);
      style.fontSize = "";
    };
  }, [rows]);
  return isSet;
}
