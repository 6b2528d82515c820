import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import type { KeyMetadataMap } from "../../../../lib/keys/key-metadata.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { isHeldBack } from "../../../platform/leave-guard.ts";
import { useResource } from "../../../platform/resource.ts";
import { Button } from "../../../ui/button.tsx";
import { Guarded } from "../../../ui/form/leave-question.tsx";
import { type FormState, SchemaFields } from "../../../ui/form/schema-fields.tsx";
import { SubmitButton } from "../../../ui/form/submit-button.tsx";
import { useFirstField } from "../../../ui/form/use-first-field.ts";
import { useAction } from "../../../ui/form/use-form.ts";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { telemetryApi } from "../../telemetry/telemetry-api.ts";
import { BackTest } from "./back-test.tsx";
import { KEY_LIST } from "./row-fields.tsx";
import {
  freeSeverity,
  fromRuleForm,
  isEmptyScope,
  newTrigger,
  type RuleForm,
  type TriggerForm,
} from "./rule-form.ts";
import { nameForm, optionsForm, recipientsForm } from "./rule-settings-form.tsx";
import { ruleText } from "./rule-text.ts";
import { ScopeFields } from "./scope-fields.tsx";
import { TriggerFields } from "./trigger-fields.tsx";

interface Props {
  readonly profileId: string;
  readonly profileName: string;
  readonly keys: KeyMetadataMap;
  readonly rule: RuleForm;
  /** True if the profile does not have the rule yet, even if it is prefilled from a value. */
  readonly isNew: boolean;
  /** Names of the other rules of the profile. */
  readonly others: readonly string[];
  readonly onCancel: () => void;
  readonly onSave: (rule: RuleForm) => Promise<void>;
}

/** A rule with its description in sentences, and its effect on stored values. */
export function RuleEditor(props: Props) {
  const { profileId, keys: metadata, rule, others, onCancel, onSave } = props;
  const [form, setForm] = useState(rule);
  const action = useAction();
  const keys = useResource(() => telemetryApi.siteKeys(), []);
  const top = useFirstField();
  const set = (changes: Partial<RuleForm>) => setForm((ruleForm) => ({ ...ruleForm, ...changes }));
  const state: FormState = {
    values: { ...form },
    onChange: (values) => setForm(values as unknown as RuleForm), // with types of the schema
  };
  const isTaken = others.includes(form.alarmType.trim());
  const isUnscoped = form.appliesTo !== null && isEmptyScope(form.appliesTo);
  const hasCondition = form.creates.some(
    ({ condition }) => "json" in condition || condition.rows.some(({ key }) => key.trim() !== ""),
  );
  const submit = (e: Event) => {
    e.preventDefault();
    if (!isTaken && !isUnscoped) action.run(() => onSave(form));
  };
  return (
    <Guarded>
      <form ref={top} class="panel flex flex-col gap-5 p-4" onSubmit={submit} data-testid="rule-editor">
        <h3 class="text-base font-semibold">
          {props.isNew ? t("rule.add") : t("common.editName", { name: rule.alarmType })}
        </h3>
        <datalist id={KEY_LIST}>
          {keys.data?.map((key) => (
            <option key={key} value={key} />
          ))}
        </datalist>
        <SchemaFields
          form={nameForm}
          {...state}
          errorOf={() => (isTaken ? t("rule.nameTaken") : undefined)}
        />
        <Triggers form={form} metadata={metadata} set={set} />
        <ScopeFields
          profileId={profileId}
          profileName={props.profileName}
          scope={form.appliesTo}
          onChange={(appliesTo) => set({ appliesTo })}
        />
        <SchemaFields form={optionsForm} {...state} />
        {Array.isArray(form.others.actions) && <p class="text-sm text-soft">{t("rule.actionsKept")}</p>}
        <SchemaFields form={recipientsForm} {...state} />
        {hasCondition && (
          <p class="border-l-2 border-primary pl-3" data-testid="sentence" aria-live="polite">
            {ruleText(form, metadata)}
          </p>
        )}
        <BackTest profileId={profileId} rule={() => fromRuleForm(form)} />
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button
            type="button"
            class="btn btn-ghost"
            onClick={() => {
              if (!isHeldBack(onCancel)) onCancel();
            }}
          >
            {t("common.cancel")}
          </button>
          <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
        </div>
      </form>
    </Guarded>
  );
}

interface PartProps {
  readonly form: RuleForm;
  readonly set: (changes: Partial<RuleForm>) => void;
}

/** Conditions for raising the alarm in each severity, and for clearing it. */
function Triggers({ form, metadata, set }: PartProps & { metadata: KeyMetadataMap }) {
  const free = freeSeverity(form);
  const setCreate = (position: number, create: TriggerForm) =>
    set({ creates: form.creates.with(position, create) });
  return (
    <>
      {form.creates.map((create, position) => (
        <TriggerFields
          key={create.severity}
          title={t("rule.raise")}
          trigger={create}
          keys={metadata}
          taken={form.creates.flatMap(({ severity }, index) => (index === position ? [] : severity))}
          onChange={(changed) => setCreate(position, changed)}
          onRemove={
            form.creates.length > 1 ? () => set({ creates: form.creates.toSpliced(position, 1) }) : undefined
          }
        />
      ))}
      {free !== undefined && (
        <Button
          icon={Plus}
          size={14}
          class="btn btn-sm self-start"
          onClick={() => set({ creates: [...form.creates, newTrigger(free)] })}
        >
          {t("rule.addSeverity")}
        </Button>
      )}
      {form.clear === null ? (
        <Button
          icon={Plus}
          size={14}
          class="btn btn-sm self-start"
          onClick={() => set({ clear: newTrigger("INDETERMINATE") })}
        >
          {t("rule.addClear")}
        </Button>
      ) : (
        <TriggerFields
          title={t("rule.clear")}
          isClear
          trigger={form.clear}
          keys={metadata}
          taken={[]}
          onChange={(clear) => set({ clear })}
          onRemove={() => set({ clear: null })}
        />
      )}
    </>
  );
}
