import { useEffect, useState } from "preact/hooks";
import { type GeneratorConfig, type GeneratorPreview, generatorsApi } from "./generators-api.ts";

const TYPING_PAUSE_MS = 250;

/** Returns the messages of a config, requested after a short pause in typing; the previous response stays until the next arrives. */
export function usePreview(config: GeneratorConfig): GeneratorPreview | undefined {
  const [preview, setPreview] = useState<GeneratorPreview | undefined>(undefined);
  const asked = JSON.stringify(config);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      generatorsApi.preview(config).then(
        (answer) => current && setPreview(answer),
        () => current && setPreview(undefined), // saving says what is wrong
      );
    }, TYPING_PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [asked]);
  return preview;
}
