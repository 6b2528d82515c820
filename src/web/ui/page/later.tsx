import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadLanguage } from "../../platform/i18n/i18n.ts";
import { loadPart } from "../../platform/load-part.ts";
import { language } from "../../platform/preferences.ts";

/** Returns a component whose code and texts are loaded when it is first shown. Nothing is shown meanwhile. */
export function later<Props extends object, Part>(
  load: () => Promise<Part>,
  componentOf: (part: Part) => ComponentType<Props>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined);
    useEffect(() => {
      if (Loaded !== undefined) return;
      Promise.all([loadPart(load), loadLanguage(language.value)]).then(
        ([part]) => {
          Loaded = componentOf(part);
          setLoaded(true);
        },
        () => undefined, // said by `loadPart`
      );
    }, []);
    return Loaded ? <Loaded {...props} /> : null;
  };
}
