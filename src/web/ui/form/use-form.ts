import { useState } from "preact/hooks";
import { fieldProblem } from "../page/error-text.ts";

export interface Action {
  readonly busy: boolean;
  readonly error: unknown;
  readonly errorOf: (field: string) => string | undefined;
  readonly run: (action: () => Promise<unknown>) => Promise<void>;
  readonly reset: () => void;
}

/** Runs the action of a form or button: busy meanwhile, with the error kept for display. `fields` show their errors themselves. */
export function useAction(fields: readonly string[] = []): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const problem = fieldProblem(error, fields);
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    error: problem === undefined ? error : undefined,
    errorOf: (field) => (problem?.field === field ? problem.text : undefined),
    run,
    reset: () => setError(undefined),
  };
}
