import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { AddStepDialog } from "./add-step-dialog.tsx";
import type { StepType } from "./pipelines-api.ts";
import { StepCard } from "./step-card.tsx";
import { moved, newDraft, type StepDraft, type StepProblem } from "./step-form.ts";
import type { TraceState } from "./step-trace.tsx";

interface Props {
  readonly label: string;
  readonly steps: readonly StepDraft[];
  /** Types that can be added. */
  readonly types: readonly StepType[];
  readonly problem: StepProblem | undefined;
  /** Keys of the test message. */
  readonly keys?: readonly string[];
  /** Returns the trace of a step for the test message. */
  readonly traceOf?: (index: number) => TraceState;
  readonly mayChange: boolean;
  readonly onChange: (steps: readonly StepDraft[]) => void;
}

/** Sorted steps that can be added, edited, moved and removed. */
export function StepList(props: Props) {
  const { label, steps, types, problem, keys = [], traceOf, mayChange, onChange } = props;
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <ol class="flex flex-col gap-4" aria-label={label}>
        {steps.map((step, index) => (
          <StepCard
            key={step.id}
            number={index + 1}
            draft={step}
            type={types.find(({ type }) => type === step.type)}
            problem={problem?.index === index ? problem : undefined}
            keys={keys}
            trace={traceOf?.(index)}
            isFirst={index === 0}
            isLast={index === steps.length - 1}
            mayChange={mayChange}
            onChange={(changed) =>
              onChange(steps.map((stepDraft) => (stepDraft.id === step.id ? changed : stepDraft)))
            }
            onMove={(by) => onChange(moved(steps, index, by))}
            onRemove={() => onChange(steps.filter((stepDraft) => stepDraft.id !== step.id))}
          />
        ))}
      </ol>
      {mayChange && (
        <Button icon={Plus} class="btn self-start" onClick={() => setAdding(true)}>
          {t("step.add")}
        </Button>
      )}
      {isAdding && (
        <AddStepDialog
          types={types}
          onClose={(selected) => {
            setAdding(false);
            if (selected) onChange([...steps, newDraft(selected)]);
          }}
        />
      )}
    </>
  );
}
