import { useEffect } from "preact/hooks";
import { productName } from "../../platform/appearance.ts";
import { titlePrefix } from "../../platform/title.ts";

/** Sets the title of the window; undefined leaves it unchanged. */
export function useTitle(title: string | undefined): void {
  const name = productName();
  const prefix = titlePrefix.value;
  useEffect(() => {
    if (title !== undefined) document.title = `${prefix}${title} · ${name}`;
  }, [title, name, prefix]);
}
