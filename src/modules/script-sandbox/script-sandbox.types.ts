import type { JsonValue } from "../../lib/json/json.ts";
import type { JsonText } from "../../lib/json/json-text.ts";
import type { Text } from "../../lib/texts/text.ts";

/** Functions of a script that the gateway calls, under the names that the network servers give them. */
export const SCRIPT_FUNCTIONS = [
  "transform",
  "decodeUplink",
  "Decode",
  "Decoder",
  "encodeDownlink",
  "Encode",
  "Encoder",
] as const;

/** Content of a radio frame, as passed to a codec. */
export interface ScriptFrame {
  readonly bytes: Uint8Array;
  readonly fPort: number;
  /** Epoch ms. */
  readonly recvTime: number;
}

/** Owner of a script's share of turns and room. */
export interface ScriptOwner {
  readonly tenantId: string;
  /** Id of an integration, of a codec, or of a user's preview. */
  readonly key: string;
}

/** Run of a script; `key` is also that of its circuit breaker. */
export interface ScriptRun extends ScriptOwner {
  readonly source: string;
  readonly message: JsonValue;
  readonly metadata: JsonValue | JsonText;
  readonly frame?: ScriptFrame | undefined;
}

export interface EncodeRun extends ScriptOwner {
  readonly source: string;
  readonly data: JsonValue;
  readonly fPort?: number | undefined;
}

export interface ConsoleLine {
  readonly level: string;
  readonly text: string;
}

export interface ScriptResult {
  /** `undefined` if the script returned null or nothing, which drops the message. */
  readonly value: JsonValue | undefined;
  /** True for the result of a codec function such as `decodeUplink`, unlike `transform`. */
  readonly isOfCodec?: true;
  readonly console: readonly ConsoleLine[];
  readonly usedMs: number;
  readonly warnings: readonly string[];
}

export interface EncodeResult {
  readonly bytes: Uint8Array;
  readonly fPort: number | undefined;
  readonly console: readonly ConsoleLine[];
  readonly usedMs: number;
  readonly warnings: readonly string[];
}

export interface BreakerState {
  readonly isOpen: boolean;
  /** Reason for the last failure. */
  readonly reason: Text;
  /** Time until the next attempt, in ms. */
  readonly retryInMs: number;
}
