import { errorText } from "../../components/error-note.tsx";
import { configProblem } from "../../i18n/generator-text.ts";
import { ApiError } from "../../state/api.ts";

/** Why a generator was refused. */
export function generatorError(error: unknown): string {
  if (!(error instanceof ApiError)) return errorText(error);
  const { text } = configProblem(error.message);
  return text === error.message ? errorText(error) : text;
}
