import { useLayoutEffect, useState } from "preact/hooks";
import { wallScale } from "./wall-scale.ts";

/** px */
const TEXT_SIZE = 16;

/**
 * Sets the size of the page's texts, and with it of all that is measured by them, so that the rows of a board fill the screen. Returns false
 * until it is set.
 */
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
