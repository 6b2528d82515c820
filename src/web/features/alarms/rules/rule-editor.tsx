import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import type { KeyMetadataMap } from "../../../../lib/key-metadata.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { isHeldBack } from "../../../platform/leave-guard.ts";
import { useResource } from "../../../platform/resource.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Guarded } from "../../../ui/form-page.tsx";
import { SubmitButton } from "../../../ui/submit-button.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useFirstField } from "../../../ui/use-first-field.ts";
import { useAction } from "../../../ui/use-form.ts";
import { telemetryApi } from "../../telemetry/telemetry-api.ts";
import { BackTest } from "./back-test.tsx";
import { RecipientFields } from "./recipient-fields.tsx";
import { KEY_LIST } from "./row-fields.tsx";
import {
  DAYS,
  freeSeverity,
  fromRuleForm,
  newTrigger,
  type RuleForm,
  type ScheduleForm,
  type TriggerForm,
} from "./rule-form.ts";
import { ruleText } from "./rule-text.ts";
import { TriggerFields } from "./trigger-fields.tsx";

interface Props {
  readonly profileId: string;
  readonly profileName: string;
  readonly keys: KeyMetadataMap;
  readonly rule: RuleForm;
  /** Whether the profile does not have the rule yet, also if it is filled in from a value. */
  readonly isNew: boolean;
  /** The names of the profile's other rules. */
  readonly others: readonly string[];
  readonly onCancel: () => void;
  readonly onSave: (rule: RuleForm) => Promise<void>;
}

/** A rule with what it says beneath, and what it would have done. */
export function RuleEditor(props: Props) {
  const { profileId, keys: metadata, rule, others, onCancel, onSave } = props;
  const [form, setForm] = useState(rule);
  const action = useAction();
  const keys = useResource(() => telemetryApi.siteKeys(), []);
  const top = useFirstField();
  const set = (changes: Partial<RuleForm>) => setForm((ruleForm) => ({ ...ruleForm, ...changes }));
  const isTaken = others.includes(form.alarmType.trim());
  const hasCondition = form.creates.some(
    ({ condition }) => "json" in condition || condition.rows.some(({ key }) => key.trim() !== ""),
  );
  const submit = (e: Event) => {
    e.preventDefault();
    if (!isTaken) action.run(() => onSave(form));
  };
  return (
    <Guarded>
      <form ref={top} class="panel flex flex-col gap-5 p-4" onSubmit={submit} data-testid="rule-editor">
        <h3 class="text-base font-semibold">
          {props.isNew ? t("rule.add") : t("rule.editOf", { name: rule.alarmType })}
        </h3>
        <datalist id={KEY_LIST}>
          {keys.data?.map((key) => (
            <option key={key} value={key} />
          ))}
        </datalist>
        <p class="text-sm text-soft">{t("rule.appliesTo", { name: props.profileName })}</p>
        <TextField
          label={t("rule.name")}
          error={isTaken ? t("rule.nameTaken") : undefined}
          required
          maxLength={256}
          pattern=".*\S.*"
          value={form.alarmType}
          class="input w-full max-w-md"
          onText={(text) => set({ alarmType: text })}
        />
        <Triggers form={form} metadata={metadata} set={set} />
        <OptionFields form={form} set={set} />
        <RecipientFields
          recipientIds={form.recipientIds}
          onChange={(recipientIds) => set({ recipientIds })}
        />
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

/** When the alarm is raised, in each severity, and when it is cleared. */
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

function OptionFields({ form, set }: PartProps) {
  return (
    <fieldset class="flex flex-col gap-2.5">
      <legend class="mb-2 text-sm font-medium">{t("rule.options")}</legend>
      <Check
        text={t("rule.downgrade")}
        checked={form.downgrade}
        onChange={(downgrade) => set({ downgrade })}
      />
      <Check
        text={t("rule.propagate")}
        checked={form.propagateToGateway}
        onChange={(propagateToGateway) => set({ propagateToGateway })}
      />
      <Check
        text={t("rule.schedule")}
        checked={form.schedule !== null}
        onChange={(isOn) => set({ schedule: isOn ? workHours() : null })}
      />
      {form.schedule !== null && (
        <ScheduleFields schedule={form.schedule} onChange={(schedule) => set({ schedule })} />
      )}
      {Array.isArray(form.others.actions) && <p class="text-sm text-soft">{t("rule.actionsKept")}</p>}
    </fieldset>
  );
}

const workHours = () => ({
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  days: DAYS.slice(0, 5),
  from: "06:00",
  to: "22:00",
});

function Check(props: { text: string; checked: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="flex cursor-pointer items-center gap-3 text-sm">
      <input
        type="checkbox"
        class="checkbox checkbox-sm"
        checked={props.checked}
        onChange={(e) => props.onChange(e.currentTarget.checked)}
      />
      {props.text}
    </label>
  );
}

/** Fields of a schedule: days, start, end and time zone. */
function ScheduleFields(props: { schedule: ScheduleForm; onChange: (schedule: ScheduleForm) => void }) {
  const { schedule, onChange } = props;
  const set = (changes: Partial<ScheduleForm>) => onChange({ ...schedule, ...changes });
  return (
    <div class="flex flex-col gap-3 pl-8">
      <fieldset class="flex flex-wrap gap-x-4 gap-y-2" aria-label={t("rule.days")}>
        {DAYS.map((day) => (
          <label key={day} class="flex cursor-pointer items-center gap-2 text-sm">
            <input
              type="checkbox"
              class="checkbox checkbox-sm"
              checked={schedule.days.includes(day)}
              onChange={(e) =>
                set({
                  days: DAYS.filter((text) =>
                    text === day ? e.currentTarget.checked : schedule.days.includes(text),
                  ),
                })
              }
            />
            {t(`day.${day}`)}
          </label>
        ))}
      </fieldset>
      <div class="flex flex-wrap gap-3">
        {(["from", "to"] as const).map((name) => (
          <TextField
            key={name}
            label={t(`rule.${name}`)}
            required
            pattern="([01]\d|2[0-3]):[0-5]\d|24:00"
            placeholder="06:00"
            value={schedule[name]}
            class="input w-32"
            onText={(text) => set({ [name]: text.trim() })}
          />
        ))}
        <TextField
          label={t("rule.zone")}
          required
          value={schedule.timezone}
          class="input w-56"
          onText={(text) => set({ timezone: text.trim() })}
        />
      </div>
    </div>
  );
}
