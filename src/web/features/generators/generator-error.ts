import { ApiError } from "../../platform/api-client.ts";
import { errorText } from "../../ui/error-note.tsx";
import { configProblem } from "./generator-text.ts";

/** Why a generator was refused. */
export function generatorError(error: unknown): string {
  if (!(error instanceof ApiError)) return errorText(error);
  const { text } = configProblem(error.message);
  return text === error.message ? errorText(error) : text;
}
