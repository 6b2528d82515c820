import { profileDefaults } from "../../../lib/devices/profile-defaults.ts";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { AutomaticDuration } from "../../ui/form/automatic-duration-field.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { DurationControl } from "../../ui/form/duration-field.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import type { ProfileForm } from "./profiles-api.ts";

const RefuseBox = ({ label, hint, value, onChange }: ControlProps) => (
  <Checkbox
    checked={value === "REFUSE"}
    hint={hint}
    onCheck={(isRefused) => onChange(isRefused ? "REFUSE" : "REPLACE")}
  >
    {label}
  </Checkbox>
);

/** Name of a profile, and whether it is the default. */
export const profileForm: FormDefinition = {
  schema: formSchema("profiles/profiles.schemas.ts", "createProfileBody"),
  texts: ["profile"],
  fields: [{ path: "name", input: { pattern: "^\\s*\\S.*" } }, { path: "description", rows: 2 }, "isDefault"],
};

/** Rules of a profile for data, connections and limits. */
export const profileRulesForm: FormDefinition = {
  ...profileForm,
  fields: [
    {
      group: "data",
      isSection: true,
      fields: [
        { path: "inactivityTimeoutMs", control: AutomaticDuration },
        "retentionDays",
        { path: "payload", isRequired: true },
        {
          path: "telemetryTopic",
          input: { autocapitalize: "off", spellcheck: false, class: "input reading w-full" },
        },
        "convertsNumericText",
      ],
    },
    {
      group: "limits",
      isSection: true,
      fields: [
        { path: "commandTimeoutMs", control: DurationControl },
        { path: "sessionsMax", isRequired: true, input: { class: "input w-28" } },
        { path: "sessionsWhenFull", control: RefuseBox },
        ["messagesPerSecond", "messagesBurst"],
        "createsChildren",
      ],
    },
  ],
};

const { alarmRules: _rules, ...defaults } = profileDefaults;

export const newProfile: ProfileForm = { name: "", ...defaults, deviceRequests: [], commands: [] };
