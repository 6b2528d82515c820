import { conflict, invalid, notFound } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { ScriptFailure } from "../script-sandbox/script-sandbox.errors.ts";

export const codecNotFound = () => notFound("codec.not_found", "There is no such codec.");
export const codecNameTaken = (name: string) =>
  conflict("codec.name_taken", `A codec named “${excerpt(name)}” exists already.`);
export const codecsLimit = (limit: number) =>
  conflict("codec.limit", `A tenant has ${limit} codecs at most; delete one first.`);
export const codecInUse = (names: readonly string[]) =>
  conflict(
    "codec.in_use",
    `It is used by: ${names.map((name) => excerpt(name)).join(", ")}. Remove it there first.`,
  );
export const codecWithoutFunction = (names: readonly string[]) =>
  invalid(
    "codec.no_function",
    `The source defines none of the functions that are called: ${names.join(", ")}.`,
  );
export const codecWrong = ({ code, message, line }: ScriptFailure) =>
  invalid(code, line === undefined ? `The source: ${message}` : `Line ${line} of the source: ${message}`);
export const frameInvalid = () =>
  invalid("codec.frame_invalid", "The frame must be bytes in hexadecimal or base64, 255 at the most.");
