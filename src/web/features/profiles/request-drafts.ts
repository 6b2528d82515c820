import type { JsonValue } from "../../lib/wire.ts";
import type { ProfileForm } from "./profiles-api.ts";

type Rule = ProfileForm["deviceRequests"][number];

/** A reply to a request during editing: the JSON of a fixed reply, or the source of a script. */
export interface RequestDraft {
  readonly method: string;
  readonly kind: "reply" | "script";
  readonly text: string;
}

export const newDraft: RequestDraft = { method: "", kind: "reply", text: "{}" };

export const SCRIPT_EXAMPLE =
  "function transform({ method, params }, { deviceName, attributes, telemetry }) {\n  return { name: deviceName };\n}";

export const toDraft = ({ method, reply, script }: Rule): RequestDraft =>
  script === undefined
    ? { method, kind: "reply", text: JSON.stringify(reply ?? null, null, 2) }
    : { method, kind: "script", text: script };

/** Returns whether a draft can be saved: a fixed reply must be JSON. */
export function isValidDraft({ kind, text }: RequestDraft): boolean {
  if (kind === "script") return text.trim() !== "";
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text of a fixed reply must be JSON. */
export const toRule = ({ method, kind, text }: RequestDraft): Rule =>
  kind === "script"
    ? { method: method.trim(), script: text }
    : { method: method.trim(), reply: JSON.parse(text) as JsonValue };
