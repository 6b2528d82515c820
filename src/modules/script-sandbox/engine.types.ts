import type { Text } from "../../lib/texts/text.ts";
import type { ConsoleLine } from "./script-sandbox.types.ts";

/** Request to the script process. */
export interface EngineRequest {
  readonly kind: "run" | "encode" | "check";
  readonly source: string;
  /** JSON: what the kind's function in the prelude takes. */
  readonly input: string;
}

interface EngineUse {
  readonly console: readonly ConsoleLine[];
  readonly usedMs: number;
  /** Microseconds of processor time that the process has used since it began. */
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
