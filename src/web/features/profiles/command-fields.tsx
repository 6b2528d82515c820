import { Plus } from "lucide-preact";
import { COMMAND_PARAMS_MAX, COMMANDS_MAX } from "../../../lib/console/form-limits.ts";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { type FormDefinition, sentValues } from "../../ui/form/form-definition.ts";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { Section } from "../../ui/page/section.tsx";
import { type CommandDefinition, type CommandParameter, fieldOf } from "../commands/command-forms.ts";

const code = { autocapitalize: "off", spellcheck: false, class: "input reading w-full" } as const;

export const commandDefinitionForm: FormDefinition = {
  schema: formSchema("profiles/command-definitions.schemas.ts", "commandDefinitionSchema"),
  texts: ["command"],
  isSparse: true,
  fields: [[{ path: "method", input: code }, "name"], "description", "asksFirst"],
};

const isNumber = ({ type }: FormValues) => type === "number";

const paramSchema = formSchema("profiles/command-definitions.schemas.ts", "commandParameterSchema");

/** Returns the form of a parameter, whose default has the type of the parameter. */
export const paramForm = (param: CommandParameter): FormDefinition => ({
  schema: { fields: { ...paramSchema.fields, default: fieldOf({ ...param, isRequired: false }) } },
  texts: ["param"],
  isSparse: true,
  adjust: (before, after) => (after.type === before.type ? after : { ...after, default: undefined }),
  fields: [
    [
      { path: "name", input: code },
      { path: "type", isRequired: true },
    ],
    ["label", { path: "unit", when: isNumber }],
    [
      { path: "minimum", when: isNumber },
      { path: "maximum", when: isNumber },
    ],
    { path: "options", when: ({ type }) => type === "choice" },
    { path: "default", optionText: String },
    "isRequired",
  ],
});

/** Returns the commands for the API, without empty fields. */
export const toCommands = (commands: readonly CommandDefinition[]): CommandDefinition[] =>
  commands.map((command) => {
    const { params = [] } = command;
    const fields = sentValues(commandDefinitionForm, { ...command });
    const sent = params.map((param) => sentValues(paramForm(param), { ...param }));
    return { ...fields, ...(sent.length > 0 && { params: sent }) } as unknown as CommandDefinition; // the API checks it
  });

interface Props {
  readonly commands: readonly CommandDefinition[];
  readonly onChange: (commands: readonly CommandDefinition[]) => void;
}

/** Edits the commands of devices of a profile. */
export function CommandFields({ commands, onChange }: Props) {
  return (
    <Section id="profile-commands" title={t("profile.commands")}>
      <p class="text-sm text-soft">{t("profile.commandsHint")}</p>
      {commands.map((command, index) => (
        <CommandField
          key={index}
          command={command}
          onChange={(changed) => onChange(commands.with(index, changed))}
          onRemove={() => onChange(commands.toSpliced(index, 1))}
        />
      ))}
      {commands.length < COMMANDS_MAX && (
        <Button
          icon={Plus}
          class="btn btn-sm self-start"
          onClick={() => onChange([...commands, { method: "" }])}
        >
          {t("profile.addCommand")}
        </Button>
      )}
    </Section>
  );
}

const newParam: CommandParameter = { name: "", type: "number" };

function CommandField(props: {
  command: CommandDefinition;
  onChange: (command: CommandDefinition) => void;
  onRemove: () => void;
}) {
  const { command, onChange } = props;
  const { params = [] } = command;
  const setParams = (changed: readonly CommandParameter[]) => onChange({ ...command, params: [...changed] });
  return (
    <div class="flex flex-col gap-4 border-l-2 border-base-300 pl-4" data-testid="command-definition">
      <SchemaFields
        form={commandDefinitionForm}
        values={{ ...command }}
        onChange={(values) => onChange(values as unknown as CommandDefinition)} // of the schema
      />
      {params.map((param, index) => (
        <fieldset key={index} class="flex flex-col gap-3 rounded-field border border-base-300 p-3">
          <SchemaFields
            form={paramForm(param)}
            values={{ ...param }}
            onChange={(values) => setParams(params.with(index, values as unknown as CommandParameter))} // `paramForm` has exactly these fields
          />
          <div class="self-start">
            <DeleteButton
              label={t("common.deleteName", { name: param.name })}
              onClick={() => setParams(params.toSpliced(index, 1))}
            />
          </div>
        </fieldset>
      ))}
      <div class="flex flex-wrap gap-2">
        {params.length < COMMAND_PARAMS_MAX && (
          <Button icon={Plus} class="btn btn-sm" onClick={() => setParams([...params, newParam])}>
            {t("profile.addParam")}
          </Button>
        )}
        <button type="button" class="btn btn-ghost btn-sm" onClick={props.onRemove}>
          {t("profile.removeCommand")}
        </button>
      </div>
    </div>
  );
}
