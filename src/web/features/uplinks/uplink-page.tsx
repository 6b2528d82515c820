import { PlugZap } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { type Resource, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Radio } from "../../ui/form/choice.tsx";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { ResourcePage } from "../../ui/page/resource-page.tsx";
import { Section } from "../../ui/page/section.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import type { Step } from "../pipelines/pipelines-api.ts";
import { pipelinesApi, type StepType } from "../pipelines/pipelines-api.ts";
import {
  firstMissing,
  type StepDraft,
  type StepProblem,
  draftOf as stepDraftOf,
  stepOf,
  stepProblem,
} from "../pipelines/step-form.ts";
import { StepList } from "../pipelines/step-list.tsx";
import { TARGET_TYPES, type TargetType, targetDefaults, targetInput } from "./target-fields.ts";
import { TargetForm } from "./target-form.tsx";
import { contentForm, nameForm, sendingForm, uplinkForm, valuesOf } from "./uplink-form.tsx";
import { UplinkProgress } from "./uplink-progress.tsx";
import type { UplinkFields } from "./uplinks-api.ts";
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

/** Steps that send to other targets or create attributes have no effect in an uplink. */
const UNFIT_STEPS = ["webhook_forward", "change_scope"];
const stepTypes = async () =>
  (await pipelinesApi.stepTypes()).filter(({ type }) => !UNFIT_STEPS.includes(type));

interface FormProps {
  readonly uplink?: Uplink;
  /** Content above the form of an existing uplink. */
  readonly head?: ComponentChildren;
  readonly onSaved: (uplink: Uplink) => void;
}

interface Draft {
  readonly type: TargetType;
  readonly target: FormValues;
  readonly steps: readonly StepDraft[];
}

const draftOf = (uplink: Uplink | undefined): Draft => {
  const type = TARGET_TYPES.find((name) => name === uplink?.target.type) ?? "LINESIDE";
  const steps = (uplink?.steps ?? []) as Step[]; // the server's own response
  return { type, target: uplink?.target ?? targetDefaults(type), steps: steps.map(stepDraftOf) };
};

function UplinkForm({ uplink, head, onSaved }: FormProps) {
  const form = useSchemaForm(uplinkForm, valuesOf(uplink));
  const [draft, setDraft] = useState(() => draftOf(uplink));
  const [saved, setSaved] = useState(draft);
  const [problem, setProblem] = useState<StepProblem | undefined>(undefined);
  const types = useResource(stepTypes, []);
  const save = async (body: FormValues) => {
    const fields = {
      ...body,
      target: targetInput(draft.type, draft.target),
      steps: draft.steps.map(stepOf),
    } as UplinkFields; // the API checks it
    const stored = uplink
      ? await uplinksApi.update(uplink.uplinkId, fields)
      : await uplinksApi.create(fields);
    toast("success", t("common.nameIsSaved", { name: stored.name }));
    const next = draftOf(stored);
    form.state.onChange(valuesOf(stored));
    setDraft(next);
    setSaved(next);
    onSaved(stored);
  };
  const submit = () => {
    const missing = firstMissing(draft.steps, types.data ?? []);
    setProblem(missing && { ...missing, text: t("step.needed") });
    if (missing !== undefined) return;
    form.send((body) =>
      save(body).catch((error) => {
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
      {...form.dialog}
      isFixed={!may("uplinks:write")}
      isChanged={draft !== saved}
    >
      <Section id="uplink-target" title={t("uplink.target")}>
        <SchemaFields form={nameForm} {...form.state} />
        <fieldset>
          <legend class="mb-2 text-sm font-medium">{t("uplink.type")}</legend>
          <div class="grid gap-3 sm:grid-cols-2">
            {TARGET_TYPES.map((type) => (
              <Radio
                key={type}
                name="target-type"
                checked={type === draft.type}
                hint={t(`uplinkTypeHint.${type}`)}
                onChange={() => setDraft({ ...draft, type, target: targetDefaults(type) })}
              >
                {t(`uplinkType.${type}`)}
              </Radio>
            ))}
          </div>
        </fieldset>
        <TargetForm
          type={draft.type}
          target={draft.target}
          onChange={(target) => setDraft({ ...draft, target })}
        />
        {may("uplinks:write") && <TestButton draft={draft} uplinkId={uplink?.uplinkId} />}
      </Section>
      <Section id="uplink-content" title={t("uplink.content")}>
        <SchemaFields form={contentForm} {...form.state} />
      </Section>
      <StepsSection
        types={types}
        steps={draft.steps}
        problem={problem}
        onChange={(steps) => {
          setDraft({ ...draft, steps });
          setProblem(undefined);
        }}
      />
      <Section id="uplink-sending" title={t("uplink.sending")}>
        <SchemaFields form={sendingForm} {...form.state} />
      </Section>
      {problem && (
        <p role="alert" class="text-sm text-error">
          {t("uplink.stepProblem", { number: problem.index + 1, text: problem.text })}
        </p>
      )}
    </FormPage>
  );
}

function TestButton({ draft, uplinkId }: { draft: Draft; uplinkId: string | undefined }) {
  const action = useAction();
  const [isGood, setGood] = useState(false);
  const test = () => {
    setGood(false);
    action.run(async () => {
      await uplinksApi.test(targetInput(draft.type, draft.target), uplinkId);
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

/** Section with the steps that run only in this uplink. */
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
