import { useEffect, useRef, useState } from "preact/hooks";
import { type Preview, pipelinesApi, type StepType } from "./pipelines-api.ts";
import type { Sample } from "./sample.ts";
import { missingField, type StepDraft, type StepProblem, stepOf, stepProblem } from "./step-form.ts";

const TYPING_PAUSE_MS = 300;

export interface Tried {
  readonly preview: Preview | undefined;
  /** Errors of steps, by their position in the list. */
  readonly problem: StepProblem | undefined;
  readonly error: unknown;
  /** Places in the list of those that were tried, in their order. */
  readonly tried: readonly number[];
}

const NOTHING: Tried = { preview: undefined, problem: undefined, error: undefined, tried: [] };

/** Tries the steps on the message each time either changes; steps that are not filled in yet are left out. */
export function usePreview(
  drafts: readonly StepDraft[],
  types: readonly StepType[],
  sample: Sample | undefined,
): Tried {
  const [state, setState] = useState<Tried>(NOTHING);
  const newest = useRef(0);
  const typeOf = (draft: StepDraft) => types.find(({ type }) => type === draft.type);
  const places = drafts.flatMap((draft, index) =>
    missingField(draft, typeOf(draft)) === undefined ? [index] : [],
  );
  const steps = places.flatMap((index) => drafts[index] ?? []).map(stepOf);
  useEffect(() => {
    const mine = ++newest.current;
    if (sample === undefined) return setState(NOTHING);
    const tried = places.filter((index) => drafts[index]?.enabled);
    const timer = setTimeout(async () => {
      const next = await pipelinesApi.preview({ steps, ...sample }).then(
        (preview) => ({ ...NOTHING, preview, tried }),
        (error: unknown) => ({ ...NOTHING, error, problem: problemOf(error, places) }),
      );
      if (mine === newest.current) setState(next);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify([steps, sample])]);
  return state;
}

/** Returns the problem of a step, with its index among all steps. */
function problemOf(error: unknown, places: readonly number[]): StepProblem | undefined {
  const problem = stepProblem(error);
  const index = problem && places[problem.index];
  return problem && index !== undefined ? { ...problem, index } : undefined;
}
