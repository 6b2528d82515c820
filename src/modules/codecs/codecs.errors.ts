import { conflict, detail, invalid, notFound } from "../../lib/core/domain-error.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { ScriptFailure } from "../script-sandbox/script-sandbox.errors.ts";

export const codecNotFound = () => notFound("codec.not_found");
export const codecNameTaken = (name: string) => conflict("codec.name_taken", { name: excerpt(name) });
export const codecsLimit = (limit: number) => conflict("codec.limit", { limit });
export const codecInUse = (names: readonly string[]) =>
  conflict("codec.in_use", { names: names.map((name) => excerpt(name)).join(", ") });
export const codecWithoutFunction = (names: readonly string[]) =>
  invalid("codec.no_function", { names: names.join(", ") });
export const codecWrong = ({ code, params, line }: ScriptFailure) => {
  const { reason = "" } = params;
  return line === undefined
    ? invalid(code, { reason: detail("codec_source.whole", { reason }) })
    : invalid(code, { reason: detail("codec_source.line", { line, reason }) });
};
export const frameInvalid = () => invalid("codec.frame_invalid");
