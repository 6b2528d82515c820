import { useEffect, useRef, useState } from "preact/hooks";
import { codecsApi, type Trial, type TrialRequest } from "./codecs-api.ts";

const TYPING_PAUSE_MS = 400;

/** Typed input of a test. */
export interface TrialInput {
  readonly direction: "uplink" | "downlink";
  readonly frame: string;
  readonly data: string;
  readonly fPort: number;
}

export interface TrialState {
  readonly input: TrialInput;
  readonly setInput: (changes: Partial<TrialInput>) => void;
  readonly trial: Trial | undefined;
  readonly error: unknown;
  /** True for malformed JSON. */
  readonly isMalformed: boolean;
}

const FIRST: TrialInput = { direction: "uplink", frame: "00 D7", data: "{}", fPort: 1 };

function requestOf(source: string, { direction, frame, data, fPort }: TrialInput): TrialRequest | undefined {
  if (direction === "uplink") return { source, direction, frame, fPort, message: {} };
  try {
    return { source, direction, fPort, data: JSON.parse(data) };
  } catch {
    return undefined;
  }
}

/** Tests a source after each change of the source or the input. */
export function useTrial(source: string | undefined): TrialState {
  const [input, set] = useState<TrialInput>(FIRST);
  const [state, setState] = useState<{ trial?: Trial; error?: unknown }>({});
  const newest = useRef(0);
  const request = source === undefined ? undefined : requestOf(source, input);
  useEffect(() => {
    const mine = ++newest.current;
    if (request === undefined) return setState({});
    const timer = setTimeout(async () => {
      const next = await codecsApi.preview(request).then(
        (trial) => ({ trial }),
        (error: unknown) => ({ error }),
      );
      if (mine === newest.current) setState(next);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(request)]);
  return {
    input,
    setInput: (changes) => set((trialInput) => ({ ...trialInput, ...changes })),
    trial: state.trial,
    error: state.error,
    isMalformed: source !== undefined && request === undefined,
  };
}
