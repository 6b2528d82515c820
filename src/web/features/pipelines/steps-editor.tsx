import { ListPlus } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { EmptyPanel } from "../../ui/empty.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type Pipeline, pipelinesApi, type StepType } from "./pipelines-api.ts";
import { ResultPanel } from "./result-panel.tsx";
import type { Sample } from "./sample.ts";
import { SamplePanel } from "./sample-panel.tsx";
import { draftOf, firstMissing, type StepDraft, type StepProblem, stepOf, stepProblem } from "./step-form.ts";
import { StepList } from "./step-list.tsx";
import type { TraceState } from "./step-trace.tsx";
import { type Tried, usePreview } from "./use-preview.ts";

interface Props {
  readonly pipeline: Pipeline;
  readonly onSaved: (pipeline: Pipeline) => void;
}

/** The steps of a pipeline, tried on a message while they are edited. */
export function StepsEditor({ pipeline, onSaved }: Props) {
  const types = useResource(pipelinesApi.stepTypes, []);
  return (
    <Loaded of={types}>{(known) => <Editor pipeline={pipeline} onSaved={onSaved} types={known} />}</Loaded>
  );
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
    // Changed elsewhere, or brought back.
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
