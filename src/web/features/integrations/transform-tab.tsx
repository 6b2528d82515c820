import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { pipelinesApi, type Step, type StepType } from "../pipelines/pipelines-api.ts";
import {
  draftOf,
  firstMissing,
  missingField,
  type StepDraft,
  type StepProblem,
  stepOf,
  stepProblem,
} from "../pipelines/step-form.ts";
import { StepList } from "../pipelines/step-list.tsx";
import type { TraceState } from "../pipelines/step-trace.tsx";
import { firstSample, payloadOf, type SampleText } from "./captured-message.ts";
import { CapturedPanel } from "./captured-panel.tsx";
import { CodecUses } from "./codec-uses.tsx";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { ScriptSection } from "./script-section.tsx";
import {
  type ScriptTransform,
  type TransformChanges,
  type TransformPreview,
  transformApi,
} from "./transform-api.ts";
import { TransformResult } from "./transform-result.tsx";

const TYPING_PAUSE_MS = 400;

interface TransformTried {
  readonly preview?: TransformPreview;
  readonly error?: unknown;
}

/** Tests the draft on the message after each change of either. */
function useTransformPreview(
  { integrationId, type }: Pick<Integration, "integrationId" | "type">,
  changes: TransformChanges | undefined,
  sample: SampleText,
): TransformTried {
  const [state, setState] = useState<TransformTried>({});
  const newest = useRef(0);
  useEffect(() => {
    const mine = ++newest.current;
    if (changes === undefined || sample.text.trim() === "") return setState({});
    const timer = setTimeout(async () => {
      const next = await transformApi.preview({ integrationId, type, ...changes, ...payloadOf(sample) }).then(
        (preview) => ({ preview }),
        (error: unknown) => ({ error }),
      );
      if (mine === newest.current) setState(next);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify([changes, sample])]);
  return state;
}

interface Props {
  readonly integration: Integration;
  readonly onSaved: (integration: Integration) => void;
}

/** Sorted steps that convert messages of an integration to values, tested on a received message. */
export function TransformTab(props: Props) {
  const types = useResource(pipelinesApi.stepTypes, []);
  return (
    <Loaded of={types}>
      {(all) => <Editor {...props} types={all.filter(({ type }) => type !== "webhook_forward")} />}
    </Loaded>
  );
}

interface Draft {
  readonly codecs: TransformChanges["settings_json"]["codecs"];
  readonly steps: readonly StepDraft[];
  readonly script: ScriptTransform;
}

const draftFrom = ({
  settings_json: { codecs = [], scriptTransform },
  mappingSteps,
}: Integration): Draft => ({
  codecs,
  steps: (mappingSteps as Step[]).map(draftOf) /* the server's own response */,
  script: scriptTransform ?? { enabled: false, source: "" },
});

/** Returns the changes without incomplete steps; `places` are the positions of the others. */
function changesOf(draft: Draft, types: readonly StepType[], isWhole: boolean) {
  const typeOf = ({ type }: StepDraft) => types.find((stepType) => stepType.type === type);
  const places = draft.steps.flatMap((step, index) =>
    isWhole || missingField(step, typeOf(step)) === undefined ? [index] : [],
  );
  const changes: TransformChanges = {
    settings_json: { codecs: draft.codecs, scriptTransform: draft.script },
    mappingSteps: places.flatMap((index) => draft.steps[index] ?? []).map(stepOf),
  };
  return { changes, places };
}

/** Returns the trace of a step for the first part of the message. */
function traceOf(
  draft: Draft,
  index: number,
  { tried, places }: { tried: TransformTried; places: readonly number[] },
): TraceState {
  if (!draft.steps[index]?.enabled) return "off";
  const run = places.filter((place) => draft.steps[place]?.enabled).indexOf(index);
  if (tried.preview === undefined || run < 0) return undefined;
  const found = tried.preview.trace[run];
  return found ? { index: run, ...found } : "not reached";
}

function problemOf(error: unknown, places: readonly number[]): StepProblem | undefined {
  const problem = stepProblem(error);
  const index = problem && places[problem.index];
  return problem && index !== undefined ? { ...problem, index } : undefined;
}

/** Draft of the steps and the script of an integration: changing, saving, and resetting it. */
function useDraft({ integration, onSaved, types }: EditorProps) {
  const [draft, setDraft] = useState<Draft>(() => draftFrom(integration));
  const [saved, setSaved] = useState(() => JSON.stringify(changesOf(draft, types, true).changes));
  const [refused, setRefused] = useState<StepProblem | undefined>(undefined);
  const action = useAction();
  const whole = changesOf(draft, types, true).changes;
  const isDirty = JSON.stringify(whole) !== saved;
  const reset = () => {
    const kept = draftFrom(integration);
    setDraft(kept);
    setSaved(JSON.stringify(changesOf(kept, types, true).changes));
    setRefused(undefined);
  };
  useEffect(() => {
    // Changed elsewhere.
    if (!isDirty) reset();
  }, [JSON.stringify([integration.settings_json, integration.mappingSteps])]);
  const change = (part: Partial<Draft>) => {
    setDraft((existingDraft) => ({ ...existingDraft, ...part }));
    setRefused(undefined);
  };
  const save = () => {
    const missing = firstMissing(draft.steps, types);
    if (missing !== undefined) return setRefused({ ...missing, text: t("step.needed") });
    action.run(async () => {
      try {
        onSaved(await integrationsApi.update(integration.integrationId, whole));
        setSaved(JSON.stringify(whole));
        toast("success", t("transform.saved"));
      } catch (error) {
        const found = problemOf(error, [...draft.steps.keys()]);
        setRefused(found);
        if (found === undefined) throw error;
      }
    });
  };
  return { draft, refused, isDirty, action, change, reset, save };
}

type EditorProps = Props & { readonly types: readonly StepType[] };

function Editor(props: EditorProps) {
  const { integration, types } = props;
  const { draft, refused, isDirty, action, change, reset, save } = useDraft(props);
  const [sample, setSample] = useState<SampleText>(() => firstSample(integration));
  const mayChange = may("integrations:write");
  const { changes, places } = changesOf(draft, types, false);
  const tried = useTransformPreview(integration, mayChange ? changes : undefined, sample);
  const problem = refused ?? problemOf(tried.error, places);
  const scriptLine = tried.preview?.errors.find(
    ({ stage, line }) => stage === "script" && line !== null,
  )?.line;
  const isRadio = integration.type === "CHIRPSTACK" || integration.type === "THE_THINGS_STACK";
  return (
    <div class="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div class="flex min-w-0 flex-col gap-4">
        {!mayChange && <p class="text-soft">{t("transform.readOnly")}</p>}
        {isRadio && (
          <CodecUses uses={draft.codecs} mayChange={mayChange} onChange={(codecs) => change({ codecs })} />
        )}
        <section class="flex min-w-0 flex-col gap-3" aria-label={t("transform.mapping")}>
          <div>
            <h2 class="font-semibold">{t("transform.mapping")}</h2>
            <p class="text-sm text-soft">{t("transform.mappingHint")}</p>
          </div>
          <StepList
            label={t("transform.mapping")}
            steps={draft.steps}
            types={types}
            problem={problem}
            keys={Object.keys(tried.preview?.trace[0]?.in ?? {})}
            traceOf={(index) => traceOf(draft, index, { tried, places })}
            mayChange={mayChange}
            onChange={(steps) => change({ steps })}
          />
        </section>
        <ScriptSection
          script={draft.script}
          wrongLine={scriptLine ?? undefined}
          mayChange={mayChange}
          onChange={(script) => change({ script })}
        />
        <ErrorNote error={action.error} />
        {mayChange && isDirty && (
          <div class="panel sticky bottom-2 z-10 flex flex-wrap items-center gap-3 p-3 shadow-lg">
            <p class="min-w-0 flex-1" role="status">
              {t("step.unsaved")}
            </p>
            <button type="button" class="btn btn-ghost btn-sm" onClick={reset}>
              {t("common.discardChanges")}
            </button>
            <button type="button" class="btn btn-primary btn-sm" disabled={action.busy} onClick={save}>
              {t("common.save")}
            </button>
          </div>
        )}
      </div>
      {mayChange && (
        <div class="flex min-w-0 flex-col gap-4 lg:sticky lg:top-4">
          <CapturedPanel integration={integration} sample={sample} onSample={setSample} />
          {tried.preview && <TransformResult preview={tried.preview} />}
          {tried.error !== undefined && problem === undefined && <ErrorNote error={tried.error} />}
        </div>
      )}
    </div>
  );
}
