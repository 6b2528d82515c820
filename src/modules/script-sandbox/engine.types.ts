import type { Text } from "../../lib/texts/text.ts";
import type { ConsoleLine } from "./script-sandbox.types.ts";

/** Request to the script process. */
export interface EngineRequest {
  readonly kind: "run" | "encode" | "check";
  readonly source: string;
  /** JSON input of the kind's function in the prelude. */
  readonly input: string;
}

interface EngineUse {
  readonly console: readonly ConsoleLine[];
  readonly usedMs: number;
  /** Processor time used by the process since its start, in microseconds. */
  readonly processorUs: number;
}

/** Reply of the script process. */
export type EngineReply = EngineUse &
  (
    | { readonly ok: true; readonly value: string }
    | {
        readonly ok: false;
        readonly code: "syntax" | "error" | "overrun" | "memory" | "output";
        readonly reason: Text;
        readonly line?: number | undefined;
      }
  );
