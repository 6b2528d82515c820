import { ListPlus, TriangleAlert } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { withoutNoise } from "../../../lib/keys/key-format.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { type Pipeline, type Preview, pipelinesApi, type StepType } from "./pipelines-api.ts";
import type { Sample } from "./sample.ts";
import { SamplePanel } from "./sample-panel.tsx";
import {
  draftOf,
  firstMissing,
  missingField,
  type StepDraft,
  type StepProblem,
  stepOf,
  stepProblem,
} from "./step-form.ts";
import { StepList } from "./step-list.tsx";
import type { TraceState } from "./step-trace.tsx";

const TYPING_PAUSE_MS = 300;

interface Tried {
  readonly preview: Preview | undefined;
  /** Errors of steps by their position in the list. */
  readonly problem: StepProblem | undefined;
  readonly error: unknown;
  /** Positions of the tested steps in the list. */
  readonly tried: readonly number[];
}

const NOTHING: Tried = { preview: undefined, problem: undefined, error: undefined, tried: [] };

/** Tests the steps on the message after each change of either, without incomplete steps. */
function usePreview(
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

interface Props {
  readonly pipeline: Pipeline;
  readonly onSaved: (pipeline: Pipeline) => void;
}

/** Steps of a pipeline, tested on a message during editing. */
export function StepsEditor({ pipeline, onSaved }: Props) {
  const types = useResource(pipelinesApi.stepTypes, []);
  return <Loaded of={types}>{(all) => <Editor pipeline={pipeline} onSaved={onSaved} types={all} />}</Loaded>;
}

function traceOf(draft: StepDraft | undefined, index: number, { preview, tried }: Tried): TraceState {
  if (!draft?.enabled) return "off";
  const place = tried.indexOf(index);
  if (preview === undefined || place < 0) return undefined;
  return preview.trace.find((refined) => refined.index === place) ?? "not reached";
}

function Editor({ pipeline, onSaved, types }: Props & { types: readonly StepType[] }) {
  const stored = JSON.stringify(pipeline.steps);
  const [drafts, setDrafts] = useState<readonly StepDraft[]>(() => pipeline.steps.map(draftOf));
  const [base, setBase] = useState(stored);
  const [isDirty, setDirty] = useState(false);
  const [sample, setSample] = useState<Sample | undefined>(undefined);
  const [refused, setRefused] = useState<StepProblem | undefined>(undefined);
  const action = useAction();
  const mayChange = may("pipelines:write");
  const tried = usePreview(drafts, types, mayChange ? sample : undefined);
  const reset = (steps: Pipeline["steps"]) => {
    setDrafts(steps.map(draftOf));
    setBase(JSON.stringify(steps));
    setDirty(false);
    setRefused(undefined);
  };
  useEffect(() => {
    // Changed elsewhere, or restored.
    if (!isDirty && stored !== base) reset(pipeline.steps);
  }, [stored]);
  const change = (changed: readonly StepDraft[]) => {
    setDrafts(changed);
    setDirty(true);
    setRefused(undefined);
  };
  const save = () => {
    const missing = firstMissing(drafts, types);
    if (missing !== undefined) return setRefused({ ...missing, text: t("step.needed") });
    action.run(async () => {
      try {
        const saved = await pipelinesApi.update(pipeline.pipelineId, { steps: drafts.map(stepOf) });
        toast("success", t("common.nameIsSaved", { name: saved.name }));
        reset(saved.steps);
        onSaved(saved);
      } catch (error) {
        const problem = stepProblem(error);
        setRefused(problem);
        if (problem === undefined) throw error;
      }
    });
  };
  const problem = refused ?? tried.problem;
  return (
    <div class="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div class="flex min-w-0 flex-col gap-4">
        {!mayChange && <p class="text-soft">{t("step.readOnly")}</p>}
        {drafts.length === 0 && (
          <EmptyPanel icon={ListPlus} title={t("step.none")} hint={t("step.noneHint")} />
        )}
        <StepList
          label={t("pipeline.tabSteps")}
          steps={drafts}
          types={types}
          problem={problem}
          keys={Object.keys(sample?.telemetry ?? {})}
          traceOf={(index) => traceOf(drafts[index], index, tried)}
          mayChange={mayChange}
          onChange={change}
        />
        <ErrorNote error={action.error} />
        {isDirty && (
          <div class="panel sticky bottom-2 z-10 flex flex-wrap items-center gap-3 p-3 shadow-lg">
            <p class="min-w-0 flex-1" role="status">
              {t("step.unsaved")}
            </p>
            <button type="button" class="btn btn-ghost btn-sm" onClick={() => reset(pipeline.steps)}>
              {t("common.discardChanges")}
            </button>
            <button type="button" class="btn btn-primary btn-sm" disabled={action.busy} onClick={save}>
              {t("step.save")}
            </button>
          </div>
        )}
      </div>
      {mayChange && (
        <div class="flex min-w-0 flex-col gap-4 lg:sticky lg:top-4">
          <SamplePanel scope={pipeline.scope} onSample={setSample} />
          {tried.preview && <ResultPanel preview={tried.preview} />}
          {tried.error !== undefined && tried.problem === undefined && <ErrorNote error={tried.error} />}
        </div>
      )}
    </div>
  );
}

const Json = ({ value }: { value: unknown }) => (
  <pre class="reading max-h-72 overflow-auto rounded-field bg-base-200 p-3 text-sm break-words whitespace-pre-wrap">
    {typeof value === "string" ? value : JSON.stringify(withoutNoise(value), null, 2)}
  </pre>
);

/** Result of all steps for a message, with their webhooks. */
function ResultPanel({ preview }: { preview: Preview }) {
  const { result, warningTexts, webhookPreviews, webhookWarningTexts } = preview;
  const notes = [...warningTexts, ...webhookWarningTexts].map((note) => serverText(note));
  return (
    <section class="panel flex flex-col gap-4 p-4" aria-label={t("sample.result")} data-testid="result">
      <h2 class="font-semibold">{t("sample.result")}</h2>
      {result === null ? <p>{t("sample.dropped")}</p> : <Json value={result.telemetry} />}
      {Object.entries(result?.attributes ?? {}).map(([scope, values]) => (
        <div key={scope} class="flex flex-col gap-1.5">
          <h3 class="text-sm font-medium">{t("sample.attributes", { scope })}</h3>
          <Json value={values} />
        </div>
      ))}
      {notes.length > 0 && (
        <div class="flex flex-col gap-1.5">
          <h3 class="text-sm font-medium">{t("sample.warnings")}</h3>
          <ul class="flex flex-col gap-1.5 text-sm">
            {notes.map((note) => (
              <li key={note} class="flex items-start gap-2">
                <TriangleAlert size={16} class="mt-0.5 flex-none" aria-hidden="true" />
                <span class="min-w-0 wrap-anywhere">{note}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {webhookPreviews.length > 0 && (
        <div class="flex flex-col gap-2">
          <h3 class="text-sm font-medium">{t("common.webhooks")}</h3>
          <p class="text-sm text-soft">{t("sample.webhooksHint")}</p>
          {webhookPreviews.map(({ url, method, headers, body }, index) => (
            <details key={index} class="rounded-field border border-base-300 p-3" open={index === 0}>
              <summary class="cursor-pointer text-sm font-medium wrap-anywhere">
                {method} {url}
              </summary>
              <div class="mt-2 flex flex-col gap-2 text-sm">
                <p>{t("sample.headers")}</p>
                <Json
                  value={Object.entries(headers)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join("\n")}
                />
                <p>{t("sample.body")}</p>
                <Json value={body} />
              </div>
            </details>
          ))}
        </div>
      )}
    </section>
  );
}
