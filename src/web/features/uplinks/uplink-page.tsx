import { PlugZap } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Radio } from "../../ui/choice.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { FormPage } from "../../ui/form-page.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Section } from "../../ui/section.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { ThingFaults } from "../faults/fault-list.tsx";
import { pipelinesApi, type StepType } from "../pipelines/pipelines-api.ts";
import { firstMissing, type StepDraft, type StepProblem, stepProblem } from "../pipelines/step-form.ts";
import { StepList } from "../pipelines/step-list.tsx";
import { ContentFields } from "./content-fields.tsx";
import { SendingFields } from "./sending-fields.tsx";
import { TARGET_TYPES, targetDefaults } from "./target-fields.ts";
import { TargetForm } from "./target-form.tsx";
import { draftOf, fieldsOf, targetOf, type UplinkDraft } from "./uplink-form.ts";
import { UplinkProgress } from "./uplink-progress.tsx";
import { type Uplink, uplinksApi } from "./uplinks-api.ts";

export function UplinkPage({ uplinkId }: { uplinkId: string }) {
  const resource = useResource(() => uplinksApi.get(uplinkId), [uplinkId]);
  return (
    <ResourcePage
      of={resource}
      back={{ href: "/uplinks", text: t("nav.uplinks") }}
      title={({ name }) => name}
    >
      {(uplink) => (
        <UplinkForm
          head={
            <div class="flex max-w-3xl flex-col gap-5">
              <UplinkProgress uplink={uplink} onChanged={resource.set} />
              <ThingFaults kind="uplink" id={uplinkId} />
            </div>
          }
          uplink={uplink}
          onSaved={resource.set}
        />
      )}
    </ResourcePage>
  );
}

export function NewUplinkPage() {
  const { route } = useLocation();
  return <UplinkForm onSaved={({ uplinkId }) => route(`/uplinks/${uplinkId}`, true)} />;
}

/** Steps that send elsewhere, or make attributes, have no effect in an uplink. */
const UNFIT_STEPS = ["webhook_forward", "change_scope"];
const stepTypes = async () =>
  (await pipelinesApi.stepTypes()).filter(({ type }) => !UNFIT_STEPS.includes(type));

interface FormProps {
  readonly uplink?: Uplink;
  /** Content above the form of an existing uplink. */
  readonly head?: ComponentChildren;
  readonly onSaved: (uplink: Uplink) => void;
}

function UplinkForm({ uplink, head, onSaved }: FormProps) {
  const [draft, setDraft] = useState(() => draftOf(uplink));
  const [saved, setSaved] = useState(draft);
  const [problem, setProblem] = useState<StepProblem | undefined>(undefined);
  const types = useResource(stepTypes, []);
  const change = (changes: Partial<UplinkDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const saving = useAction();
  const save = async () => {
    const fields = fieldsOf(draft, uplink);
    const stored = uplink
      ? await uplinksApi.update(uplink.uplinkId, fields)
      : await uplinksApi.create(fields);
    toast("success", t("common.nameIsSaved", { name: stored.name }));
    const next = draftOf(stored);
    setDraft(next);
    setSaved(next);
    onSaved(stored);
  };
  const submit = () => {
    const missing = firstMissing(draft.steps, types.data ?? []);
    setProblem(missing && { ...missing, text: t("step.needed") });
    if (missing !== undefined) return;
    saving.run(() =>
      save().catch((error) => {
        const refused = stepProblem(error);
        setProblem(refused);
        if (refused === undefined) throw error;
      }),
    );
  };
  return (
    <FormPage
      title={t("uplinks.create")}
      back={{ href: "/uplinks", text: t("nav.uplinks") }}
      head={head}
      submitText={t(uplink ? "common.save" : "uplinks.create")}
      onSubmit={submit}
      busy={saving.busy}
      error={saving.error}
      isFixed={!may("uplinks:write")}
      isChanged={draft !== saved}
    >
      <TargetSection draft={draft} onChange={change} uplink={uplink} />
      <ContentFields draft={draft} onChange={change} isNew={uplink === undefined} />
      <StepsSection
        types={types}
        steps={draft.steps}
        problem={problem}
        onChange={(steps) => {
          change({ steps });
          setProblem(undefined);
        }}
      />
      <SendingFields draft={draft} onChange={change} />
      {problem && (
        <p role="alert" class="text-sm text-error">
          {t("uplink.stepProblem", { number: problem.index + 1, text: problem.text })}
        </p>
      )}
    </FormPage>
  );
}

export interface FieldsProps {
  readonly draft: UplinkDraft;
  readonly onChange: (changes: Partial<UplinkDraft>) => void;
}

function TargetSection({ draft, onChange, uplink }: FieldsProps & { uplink: Uplink | undefined }) {
  return (
    <Section id="uplink-target" title={t("uplink.target")}>
      <TextField
        label={t("uplink.name")}
        required
        maxLength={200}
        pattern=".*\S.*"
        value={draft.name}
        onText={(name) => onChange({ name })}
      />
      <fieldset>
        <legend class="mb-2 text-sm font-medium">{t("uplink.type")}</legend>
        <div class="grid gap-3 sm:grid-cols-2">
          {TARGET_TYPES.map((type) => (
            <Radio
              key={type}
              name="target-type"
              checked={type === draft.type}
              hint={t(`uplinkTypeHint.${type}`)}
              onChange={() => onChange({ type, target: targetDefaults(type) })}
            >
              {t(`uplinkType.${type}`)}
            </Radio>
          ))}
        </div>
      </fieldset>
      <TargetForm type={draft.type} target={draft.target} onChange={(target) => onChange({ target })} />
      {may("uplinks:write") && <TestButton draft={draft} uplinkId={uplink?.uplinkId} />}
    </Section>
  );
}

function TestButton({ draft, uplinkId }: { draft: UplinkDraft; uplinkId: string | undefined }) {
  const action = useAction();
  const [isGood, setGood] = useState(false);
  const test = () => {
    setGood(false);
    action.run(async () => {
      await uplinksApi.test(targetOf(draft), uplinkId);
      setGood(true);
    });
  };
  return (
    <div class="flex flex-col gap-3">
      <Button icon={PlugZap} class="btn btn-sm self-start" disabled={action.busy} onClick={test}>
        {t(action.busy ? "uplink.testing" : "uplink.test")}
      </Button>
      {isGood && (
        <p role="status" class="text-sm text-success">
          {t("uplink.testGood")}
        </p>
      )}
      <ErrorNote error={action.error} />
    </div>
  );
}

interface Props {
  readonly types: Resource<StepType[]>;
  readonly steps: readonly StepDraft[];
  readonly problem: StepProblem | undefined;
  readonly onChange: (steps: readonly StepDraft[]) => void;
}

/** The steps that only this uplink applies. */
function StepsSection({ types, steps, problem, onChange }: Props) {
  return (
    <Section id="uplink-steps" title={t("uplink.steps")} hint={t("uplink.stepsHint")}>
      <Loaded of={types}>
        {(all) => (
          <StepList
            label={t("uplink.steps")}
            steps={steps}
            types={all}
            problem={problem}
            mayChange={may("uplinks:write")}
            onChange={onChange}
          />
        )}
      </Loaded>
    </Section>
  );
}
