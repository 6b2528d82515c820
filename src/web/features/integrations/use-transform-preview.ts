import { useEffect, useRef, useState } from "preact/hooks";
import { payloadOf, type SampleText } from "./captured-message.ts";
import type { Integration } from "./integrations-api.ts";
import { type TransformChanges, type TransformPreview, transformApi } from "./transform-api.ts";

const TYPING_PAUSE_MS = 400;

export interface TransformTried {
  readonly preview?: TransformPreview;
  readonly error?: unknown;
}

/** Tries what is edited on the message, each time either changes. */
export function useTransformPreview(
  { integrationId, type }: Pick<Integration, "integrationId" | "type">,
  changes: TransformChanges | undefined,
  sample: SampleText,
): TransformTried {
  const [state, setState] = useState<TransformTried>({});
  const newest = useRef(0);
  useEffect(() => {
    const mine = ++newest.current;
    if (changes === undefined || sample.text.trim() === "") return setState({});
    const timer = setTimeout(async () => {
      const next = await transformApi.preview({ integrationId, type, ...changes, ...payloadOf(sample) }).then(
        (preview) => ({ preview }),
        (error: unknown) => ({ error }),
      );
      if (mine === newest.current) setState(next);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify([changes, sample])]);
  return state;
}
