import { Plus, Trash2 } from "lucide-preact";
import { type AlarmSeverity, severitiesDescending } from "../../../../lib/alarms/severity.ts";
import type { KeyMetadataMap } from "../../../../lib/keys/key-metadata.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { Button } from "../../../ui/button.tsx";
import { type FormState, SchemaFields } from "../../../ui/form/schema-fields.tsx";
import { TextAreaField } from "../../../ui/form/text-area-field.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { RowFields } from "./row-fields.tsx";
import { type ConditionForm, newRow, type TriggerForm } from "./rule-form.ts";
import { messageForm, timingForm } from "./rule-settings-form.tsx";

interface Props {
  readonly title: string;
  readonly trigger: TriggerForm;
  readonly keys: KeyMetadataMap;
  readonly isClear?: boolean;
  /** Severities in other parts of the rule. */
  readonly taken: readonly AlarmSeverity[];
  readonly onChange: (trigger: TriggerForm) => void;
  readonly onRemove: (() => void) | undefined;
}

const MESSAGE_NAMES = ["deviceName", "alarmType", "severity"].map((name) => `\${${name}}`).join(", ");

export function TriggerFields(props: Props) {
  const { title, trigger, isClear = false, taken, onChange, onRemove } = props;
  const set = (changes: Partial<TriggerForm>) => onChange({ ...trigger, ...changes });
  const state: FormState = {
    values: { ...trigger },
    onChange: (values) => onChange(values as unknown as TriggerForm), // with types of the schema
  };
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
      <SchemaFields form={timingForm} {...state} />
      {!isClear && (
        <SchemaFields
          form={messageForm}
          {...state}
          hints={{ message: t("rule.messageHint", { names: MESSAGE_NAMES, key: `\${temperature}` }) }}
        />
      )}
    </fieldset>
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
