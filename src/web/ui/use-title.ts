import { useEffect } from "preact/hooks";
import { productName } from "../platform/appearance.ts";

/** Names the window after what it shows; undefined leaves it as it is. */
export function useTitle(title: string | undefined): void {
  const name = productName();
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${name}`;
  }, [title, name]);
}
