import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import { JsonControl } from "../../ui/form/json-control.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { DeviceScope } from "../devices/device-scope.tsx";
import { AttributeRows } from "./attribute-rows.tsx";
import { ScheduleControl } from "./schedule-fields.tsx";
import { newForm, scheduleOf } from "./schedule-form.ts";
import type { JobAction, JobDetail, JobForm } from "./scheduler-api.ts";

const schema = formSchema("scheduler/scheduler.schemas.ts", "createJobBody");
const actionIn = (values: FormValues) => values.action as JobAction; // the type of the schema
const sendsCommand = (values: FormValues) => actionIn(values).type === "command";

const Misfire = ({ label, hint, value, onChange }: ControlProps) => (
  <Checkbox checked={value === "once"} hint={hint} onCheck={(isOnce) => onChange(isOnce ? "once" : "skip")}>
    {label}
  </Checkbox>
);

const ActionType = ({ label, value, onChange }: ControlProps) => (
  <Segments
    label={label}
    items={[
      { id: "attributes", text: t("field.job.attributes") },
      { id: "command", text: t("job.sendCommand") },
    ]}
    current={value as JobAction["type"]} // the type of the schema
    onSelect={onChange}
  />
);

function Targets({ value, onChange, values }: ControlProps) {
  const selected = value as readonly string[] | undefined; // the type of the schema
  return (
    <DeviceScope
      all={[t("job.allOfType"), t("job.allOfTypeHint")]}
      some={[t("common.selectedDevices")]}
      selected={selected}
      onChange={onChange}
      problem={values.isTried === true && selected?.length === 0 ? t("common.selectADevice") : undefined}
    />
  );
}

export const nameForm: FormDefinition = {
  schema,
  texts: ["job"],
  fields: [{ path: "name", input: { autofocus: true } }],
};

export const scheduleForm: FormDefinition = {
  schema,
  texts: ["job"],
  fields: [
    { path: "schedule", control: ScheduleControl },
    { path: "misfire", control: Misfire },
  ],
};

export const actionForm: FormDefinition = {
  schema,
  texts: ["job"],
  fields: [
    { path: "action.type", text: "action", control: ActionType },
    {
      path: "action.attributes",
      text: "attributes",
      when: (values) => !sendsCommand(values),
      control: AttributeRows,
    },
    {
      path: "action.command.method",
      text: "method",
      when: sendsCommand,
      isRequired: true,
      input: { autocapitalize: "off", class: "input reading w-full" },
    },
    { path: "action.command.params", text: "params", when: sendsCommand, control: JsonControl },
    {
      path: "action.command.retries",
      text: "retries",
      when: sendsCommand,
      isRequired: true,
      input: { class: "input w-28" },
    },
  ],
};

export const targetsForm: FormDefinition = {
  schema,
  texts: ["job"],
  fields: [
    { path: "action.deviceIds", text: "devices", control: Targets },
    {
      path: "action.deviceType",
      text: "deviceType",
      isRequired: true,
      when: (values) => actionIn(values).deviceIds === undefined,
    },
  ],
};

export const jobForm: FormDefinition = {
  schema,
  texts: ["job"],
  fields: [nameForm, scheduleForm, actionForm, targetsForm].flatMap(({ fields }) => fields),
};

/** Deleted devices of the job are left out. */
export function valuesOf(job: JobDetail | undefined): FormValues {
  const { type = "attributes", command, attributes = {}, deviceType } = job?.action ?? {};
  return {
    name: job?.name,
    schedule: job?.schedule ?? scheduleOf(newForm(ownZone(), serverNow())),
    misfire: job?.misfire ?? "skip",
    action: {
      type,
      attributes,
      command: { params: {}, retries: 0, ...command },
      ...(deviceType === undefined
        ? { deviceIds: job?.devices.map(({ deviceId }) => deviceId) ?? [] }
        : { deviceType }),
    },
  };
}

/** Returns the body to send; undefined if a part of it is missing or has the wrong type. */
export function inputOf(body: FormValues): JobForm | undefined {
  const { command, attributes, ...action } = actionIn(body);
  if (body.schedule === undefined || action.deviceIds?.length === 0) return undefined;
  const done = action.type === "command" ? command && { command } : attributes && { attributes };
  if (done === undefined) return undefined;
  return { ...(body as unknown as JobForm), action: { ...action, ...done } }; // the API checks it
}
