import { useEffect } from "preact/hooks";
import { productName } from "../platform/appearance.ts";
import { titlePrefix } from "../platform/title.ts";

/** Names the window after what it shows; undefined leaves it as it is. */
export function useTitle(title: string | undefined): void {
  const name = productName();
  const prefix = titlePrefix.value;
  useEffect(() => {
    if (title !== undefined) document.title = `${prefix}${title} · ${name}`;
  }, [title, name, prefix]);
}
