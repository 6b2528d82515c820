import type { JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import { ScriptFailure } from "../script-sandbox/script-sandbox.errors.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import type { ConsoleLine, ScriptOwner } from "../script-sandbox/script-sandbox.types.ts";
import { frameInvalid } from "./codecs.errors.ts";

const FRAME_BYTES_MAX = 255;

/** Input for a test run of a source: a message, a frame, or (for a downlink) the content to send. */
export interface TrialRequest {
  readonly source: string;
  readonly direction?: "uplink" | "downlink" | undefined;
  readonly message?: JsonValue | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly frame?: string | undefined;
  /** Encoding of an ambiguous frame; default hexadecimal. */
  readonly encoding?: "hex" | "base64" | undefined;
  readonly fPort?: number | undefined;
  /** Epoch ms. */
  readonly recvTime?: number | undefined;
  readonly data?: JsonValue | undefined;
}

export interface Trial {
  /** Result; `null` for a failure, a downlink or a dropped message. */
  readonly result: JsonValue;
  readonly dropped: boolean;
  /** Bytes of a downlink. */
  readonly bytes: { readonly hex: string; readonly base64: string; readonly fPort: number | null } | null;
  readonly warnings: readonly string[];
  readonly console: readonly ConsoleLine[];
  readonly usedMs: number;
  readonly error: (Text & { readonly message: string; readonly line: number | null }) | null;
}

/** Parses `01 FF`, `01:ff`, `01ff`, or base64 with or without padding. */
export function readFrame(text: string, encoding?: "hex" | "base64"): Uint8Array {
  const hex = text.replace(/[\s:-]|0x/gi, "");
  const isHex = hex.length % 2 === 0 && /^[0-9a-f]*$/i.test(hex);
  const as = encoding ?? (isHex ? "hex" : "base64");
  if (as === "hex" ? !isHex : !isBase64(text)) throw frameInvalid();
  const bytes = as === "hex" ? Buffer.from(hex, "hex") : Buffer.from(text.trim(), "base64");
  if (bytes.length > FRAME_BYTES_MAX) throw frameInvalid();
  return bytes;
}

const isBase64 = (text: string): boolean => {
  const letters = text.trim().replace(/={1,2}$/, "");
  return letters.length % 4 !== 1 && /^[A-Za-z0-9+/]*$/.test(letters);
};

const nothing = { result: null, dropped: false, bytes: null, error: null } as const;

/** Runs a source. Returns a failure of the script as its outcome; throws `busy` and `unavailable`, which are not. */
export async function tryScript(
  sandbox: ScriptSandbox,
  owner: ScriptOwner,
  request: TrialRequest & { recvTime: number },
): Promise<Trial> {
  try {
    return await (request.direction === "downlink" ? tryEncoding : tryDecoding)(sandbox, owner, request);
  } catch (error) {
    if (!(error instanceof ScriptFailure) || error.kind !== "invalid") throw error;
    const { code, params, message, line, console, usedMs } = error;
    return {
      ...nothing,
      warnings: [],
      console,
      usedMs,
      error: { code, params, message, line: line ?? null },
    };
  }
}

async function tryDecoding(
  sandbox: ScriptSandbox,
  owner: ScriptOwner,
  { source, message, metadata, frame, encoding, fPort, recvTime }: TrialRequest & { recvTime: number },
): Promise<Trial> {
  const input =
    frame === undefined ? undefined : { bytes: readFrame(frame, encoding), fPort: fPort ?? 1, recvTime };
  const { value, warnings, console, usedMs } = await sandbox.run({
    ...owner,
    source,
    message: message ?? {},
    metadata: metadata ?? {},
    frame: input,
  });
  return { ...nothing, result: value ?? null, dropped: value === undefined, warnings, console, usedMs };
}

async function tryEncoding(
  sandbox: ScriptSandbox,
  owner: ScriptOwner,
  request: TrialRequest,
): Promise<Trial> {
  const { source, data, fPort } = request;
  const out = await sandbox.encode({ ...owner, source, data: data ?? {}, fPort });
  const bytes = Buffer.from(out.bytes);
  const { warnings, console, usedMs } = out;
  return {
    ...nothing,
    bytes: {
      hex: bytes.toString("hex"),
      base64: bytes.toString("base64"),
      fPort: out.fPort ?? fPort ?? null,
    },
    warnings,
    console,
    usedMs,
  };
}
