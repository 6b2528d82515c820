import { ArrowDown, ArrowUp, Trash2 } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { StepType } from "./pipelines-api.ts";
import { StepField } from "./step-field.tsx";
import { kindOfField, type StepDraft, type StepProblem, withField } from "./step-form.ts";
import { fieldName, fieldText, stepText } from "./step-texts.ts";
import { StepTrace, type TraceState } from "./step-trace.tsx";

interface Props {
  readonly number: number;
  readonly draft: StepDraft;
  readonly type: StepType | undefined;
  readonly problem: Omit<StepProblem, "index"> | undefined;
  readonly keys: readonly string[];
  readonly trace: TraceState;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly mayChange: boolean;
  readonly onChange: (draft: StepDraft) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

/** Card of a step: its fields, and its effect on the test message. */
export function StepCard(props: Props) {
  const { number, draft, type, problem, mayChange, onChange } = props;
  const { title, what } = stepText(draft.type, type?.summary);
  return (
    <li class="panel flex flex-col gap-4 p-4" aria-label={`${number}. ${title}`} data-testid="step">
      <div class="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div class="min-w-0 flex-[1_1_14rem]">
          <h3 class="font-semibold">
            <span class="text-soft">{number}.</span> {title}
          </h3>
          <p class="text-sm text-soft">{what}</p>
        </div>
        {mayChange && <StepTools {...props} title={title} />}
      </div>
      <fieldset disabled={!mayChange} class="flex min-w-0 flex-col gap-4">
        <legend class="sr-only">{title}</legend>
        {Object.entries(type?.fields.properties ?? {}).map(([name, schema]) => {
          const required = type?.fields.required?.includes(name) ?? false;
          return (
            <StepField
              key={name}
              name={name}
              label={required ? fieldName(name) : `${fieldName(name)} (${t("step.optional")})`}
              kind={kindOfField(name, schema)}
              schema={schema}
              value={draft.fields[name]}
              required={required}
              hint={fieldText(draft.type, name, schema.description)}
              error={problem?.field === name ? problem.text : undefined}
              keys={props.keys}
              onChange={(value) => onChange(withField(draft, name, value))}
            />
          );
        })}
      </fieldset>
      {problem && (problem.field === undefined || !type?.fields.properties[problem.field]) && (
        <p role="alert" class="text-sm text-error">
          {problem.text}
        </p>
      )}
      <StepTrace trace={props.trace} />
    </li>
  );
}

function StepTools(props: Props & { title: string }) {
  const { draft, title, isFirst, isLast, onChange, onMove, onRemove } = props;
  return (
    <div class="flex flex-none flex-wrap items-center gap-1">
      <label class="mr-2 flex cursor-pointer items-center gap-2 text-sm">
        <input
          type="checkbox"
          class="toggle toggle-sm"
          checked={draft.enabled}
          onChange={(e) => onChange({ ...draft, enabled: e.currentTarget.checked })}
        />
        {t("step.enabled")}
      </label>
      <IconButton
        icon={ArrowUp}
        label={t("step.up", { title })}
        class="btn btn-ghost btn-square btn-sm"
        disabled={isFirst}
        onClick={() => onMove(-1)}
      />
      <IconButton
        icon={ArrowDown}
        label={t("step.down", { title })}
        class="btn btn-ghost btn-square btn-sm"
        disabled={isLast}
        onClick={() => onMove(1)}
      />
      <IconButton
        icon={Trash2}
        label={t("step.remove", { title })}
        class="btn btn-ghost btn-square btn-sm text-error"
        onClick={onRemove}
      />
    </div>
  );
}
