import { formSchema } from "../../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../../lib/form-schema.ts";
import { ownZone } from "../../../lib/zoned-time.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { Checkbox } from "../../../ui/form/choice.tsx";
import { CommaList } from "../../../ui/form/comma-list.tsx";
import { DurationControl, DurationField } from "../../../ui/form/duration-field.tsx";
import type { ControlProps, FormDefinition } from "../../../ui/form/form-definition.ts";
import { DevicePicker } from "../../devices/device-picker.tsx";
import { RecipientFields } from "./recipient-fields.tsx";
import { DAYS, type TriggerForm } from "./rule-form.ts";

const schema = formSchema("profiles/alarm-rule.schemas.ts", "alarmRuleSchema");

const workHours = () => ({ timezone: ownZone(), days: DAYS.slice(0, 5), from: "06:00", to: "22:00" });
const hasSchedule = ({ schedule }: FormValues) => schedule !== null;

const HasSchedule = ({ label, value, onChange }: ControlProps) => (
  <Checkbox checked={value !== null} onCheck={(isOn) => onChange(isOn ? workHours() : null)}>
    {label}
  </Checkbox>
);

export const nameForm: FormDefinition = {
  schema,
  texts: ["rule"],
  fields: [{ path: "alarmType", input: { pattern: "^\\s*\\S.*", class: "input w-full max-w-md" } }],
};

export const optionsForm: FormDefinition = {
  schema,
  texts: ["rule"],
  fields: [
    {
      group: "options",
      fields: [
        "enabled",
        "downgrade",
        "propagateToGateway",
        { path: "schedule", control: HasSchedule },
        {
          path: "schedule.days",
          when: hasSchedule,
          optionText: (day) => t(`day.${day as (typeof DAYS)[number]}`),
        },
        ["from", "to", "timezone"].map((name) => ({
          path: `schedule.${name}`,
          when: hasSchedule,
          input: { placeholder: name === "timezone" ? "Europe/Berlin" : "06:00" },
        })),
      ],
    },
  ],
};

const Devices = ({ label, value, onChange }: ControlProps) => (
  <fieldset>
    <legend class="mb-2 text-sm font-medium">{label}</legend>
    <DevicePicker selected={Array.isArray(value) ? value : []} onChange={onChange} />
  </fieldset>
);

export const scopeForm: FormDefinition = {
  schema: formSchema("profiles/alarm-rule.schemas.ts", "ruleScopeSchema"),
  texts: ["ruleScope"],
  fields: [
    { path: "deviceIds", control: Devices },
    [
      { path: "deviceTypes", control: CommaList },
      { path: "tags", control: CommaList },
    ],
  ],
};

export const recipientsForm: FormDefinition = {
  schema,
  texts: ["rule"],
  fields: [{ path: "recipientIds", control: RecipientFields }],
};

const DEFAULT_WINDOW_MS = 600_000;

/** Time in which a condition must have held a number of times; null for consecutive messages. */
const Within = ({ label, value, onChange }: ControlProps) => (
  <div class="flex flex-col gap-2">
    <Checkbox checked={value !== null} onCheck={(isOn) => onChange(isOn ? DEFAULT_WINDOW_MS : null)}>
      {label}
    </Checkbox>
    {value !== null && <DurationField label={label} ms={Number(value)} onChange={onChange} />}
  </div>
);

const triggerSchema = formSchema("profiles/alarm-rule.schemas.ts", "createRule");

/** Form for how long or how often the condition of a trigger must hold. */
export const timingForm: FormDefinition = {
  schema: triggerSchema,
  texts: ["ruleTrigger"],
  fields: [
    [
      { path: "kind", optionText: (kind) => t(`ruleKind.${kind as TriggerForm["kind"]}`) },
      { path: "forMs", control: DurationControl },
      "count",
      { path: "withinMs", control: Within },
    ],
  ],
};

export const messageForm: FormDefinition = {
  schema: triggerSchema,
  texts: ["ruleTrigger"],
  fields: ["message"],
};
