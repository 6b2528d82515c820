import { t } from "../../platform/i18n/i18n.ts";
import type { Resource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import type { StepType } from "../pipelines/pipelines-api.ts";
import type { StepDraft, StepProblem } from "../pipelines/step-form.ts";
import { StepList } from "../pipelines/step-list.tsx";

interface Props {
  readonly types: Resource<StepType[]>;
  readonly steps: readonly StepDraft[];
  readonly problem: StepProblem | undefined;
  readonly onChange: (steps: readonly StepDraft[]) => void;
}

/** The steps that only this uplink applies. */
export function StepsSection({ types, steps, problem, onChange }: Props) {
  return (
    <Section id="uplink-steps" title={t("uplink.steps")} hint={t("uplink.stepsHint")}>
      <Loaded of={types}>
        {(known) => (
          <StepList
            label={t("uplink.steps")}
            steps={steps}
            types={known}
            problem={problem}
            mayChange={may("uplinks:write")}
            onChange={onChange}
          />
        )}
      </Loaded>
    </Section>
  );
}
