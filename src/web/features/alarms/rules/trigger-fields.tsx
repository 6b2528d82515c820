import { Plus, Trash2 } from "lucide-preact";
import type { KeyMetadataMap } from "../../../../lib/key-metadata.ts";
import { type AlarmSeverity, severitiesDescending } from "../../../../lib/severity.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { Button } from "../../../ui/button.tsx";
import { DurationField } from "../../../ui/duration-field.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { SelectField } from "../../../ui/select-field.tsx";
import { TextAreaField } from "../../../ui/text-area-field.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { RowFields } from "./row-fields.tsx";
import { type ConditionForm, newRow, type TriggerForm } from "./rule-form.ts";

interface Props {
  readonly title: string;
  readonly trigger: TriggerForm;
  readonly keys: KeyMetadataMap;
  readonly isClear?: boolean;
  /** Severities that other parts of the rule have. */
  readonly taken: readonly AlarmSeverity[];
  readonly onChange: (trigger: TriggerForm) => void;
  readonly onRemove: (() => void) | undefined;
}

const MESSAGE_NAMES = ["deviceName", "alarmType", "severity"].map((name) => `\${${name}}`).join(", ");
const KINDS = ["SIMPLE", "DURATION", "REPEATING"] as const;

export function TriggerFields(props: Props) {
  const { title, trigger, isClear = false, taken, onChange, onRemove } = props;
  const set = (changes: Partial<TriggerForm>) => onChange({ ...trigger, ...changes });
  return (
    <fieldset class="flex flex-col gap-3 rounded-field border border-base-300 p-3 sm:p-4">
      <legend class="px-1 text-sm font-medium">{title}</legend>
      <div class="flex flex-wrap items-center justify-between gap-3">
        {isClear ? (
          <span />
        ) : (
          <select
            class="select w-44"
            aria-label={t("alarms.severity")}
            value={trigger.severity}
            onChange={(e) => {
              const severity = severitiesDescending.find((text) => text === e.currentTarget.value);
              if (severity) set({ severity });
            }}
          >
            {severitiesDescending
              .filter((severity) => !taken.includes(severity))
              .map((severity) => (
                <option key={severity} value={severity}>
                  {t(`severity.${severity}`)}
                </option>
              ))}
          </select>
        )}
        {onRemove && <IconButton icon={Trash2} label={t("rule.removePart")} onClick={onRemove} />}
      </div>
      <ConditionFields
        condition={trigger.condition}
        keys={props.keys}
        onChange={(condition) => set({ condition })}
      />
      <div class="flex flex-wrap items-end gap-3">
        <SelectField
          label={t("rule.kind")}
          value={trigger.kind}
          class="select w-56"
          options={KINDS}
          text={(kind) => t(`ruleKind.${kind}`)}
          onSelect={(kind) => set({ kind })}
        />
        {trigger.kind === "DURATION" && (
          <DurationField label={t("rule.forTime")} ms={trigger.forMs} onChange={(forMs) => set({ forMs })} />
        )}
        {trigger.kind === "REPEATING" && <RepeatFields trigger={trigger} set={set} />}
      </div>
      {!isClear && (
        <TextField
          label={t("rule.message")}
          hint={t("rule.messageHint", { names: MESSAGE_NAMES, key: `\${temperature}` })}
          maxLength={1000}
          value={trigger.message}
          onText={(text) => set({ message: text })}
        />
      )}
    </fieldset>
  );
}

function RepeatFields(props: { trigger: TriggerForm; set: (changes: Partial<TriggerForm>) => void }) {
  const { trigger, set } = props;
  return (
    <>
      <TextField
        label={t("rule.times")}
        type="number"
        min={1}
        max={1000}
        required
        value={trigger.count}
        class="input w-28"
        onInput={(e) => set({ count: e.currentTarget.valueAsNumber })}
      />
      <label class="flex h-10 cursor-pointer items-center gap-2 text-sm">
        <input
          type="checkbox"
          class="checkbox checkbox-sm"
          checked={trigger.withinMs !== null}
          onChange={(e) => set({ withinMs: e.currentTarget.checked ? 600_000 : null })}
        />
        {t("rule.withinTime")}
      </label>
      {trigger.withinMs !== null && (
        <DurationField
          label={t("rule.withinTime")}
          ms={trigger.withinMs}
          onChange={(withinMs) => set({ withinMs })}
        />
      )}
    </>
  );
}

function ConditionFields(props: {
  condition: ConditionForm;
  keys: KeyMetadataMap;
  onChange: (condition: ConditionForm) => void;
}) {
  const { condition, keys, onChange } = props;
  if ("json" in condition)
    return (
      <TextAreaField
        label={t("rule.ownCondition")}
        hint={t("rule.ownConditionHint")}
        rows={6}
        value={condition.json}
        onText={(text) => onChange({ json: text })}
      />
    );
  const { join, rows } = condition;
  return (
    <div class="flex flex-col gap-3">
      {rows.length > 1 && (
        <select
          class="select select-sm w-auto self-start"
          aria-label={t("rule.join")}
          value={join}
          onChange={(e) => onChange({ join: e.currentTarget.value === "any" ? "any" : "all", rows })}
        >
          <option value="all">{t("rule.joinAll")}</option>
          <option value="any">{t("rule.joinAny")}</option>
        </select>
      )}
      {rows.map((row, position) => (
        <RowFields
          key={position}
          row={row}
          unit={keys.get(row.key)?.unit}
          onChange={(changed) => onChange({ join, rows: rows.with(position, changed) })}
          onRemove={rows.length > 1 ? () => onChange({ join, rows: rows.toSpliced(position, 1) }) : undefined}
        />
      ))}
      <Button
        icon={Plus}
        size={14}
        class="btn btn-ghost btn-sm self-start"
        onClick={() => onChange({ join, rows: [...rows, newRow()] })}
      >
        {t("rule.addRow")}
      </Button>
    </div>
  );
}
