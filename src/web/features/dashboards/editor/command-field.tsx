import { t } from "../../../platform/i18n/i18n.ts";
import { useKept } from "../../../platform/resource.ts";
import { SchemaFields } from "../../../ui/form/schema-fields.tsx";
import { SelectField } from "../../../ui/form/select-field.tsx";
import {
  type CommandDefinition,
  commandForm,
  firstValues,
  paramsOf,
  valuesOf,
} from "../../commands/command-forms.ts";
import { devicesApi } from "../../devices/devices-api.ts";
import type { ResolvedDevice, WidgetConfig } from "../dashboards-api.ts";

/** Max. device types with loaded profiles. */
const TYPES_MAX = 5;

/** Returns the commands in the profiles of the devices. For each type, the profile of the first device counts. */
export function useDescribedCommands(devices: readonly ResolvedDevice[]): readonly CommandDefinition[] {
  const firsts = [
    ...new Map([...devices].reverse().map((device) => [device.deviceType, device.deviceId])).values(),
  ];
  const ids = firsts.slice(-TYPES_MAX);
  const commands = useKept(async () => {
    if (ids.length === 0) return [];
    const read = await Promise.all(ids.map((id) => devicesApi.get(id)));
    const profiles = (await devicesApi.profiles()).filter((profile) =>
      read.some(({ profileId }) => profileId === profile.profileId),
    );
    return [
      ...new Map(profiles.flatMap((of) => of.commands).map((command) => [command.method, command])).values(),
    ];
  }, [ids.join()]);
  return commands.data ?? [];
}

/** Selects one of the described commands, with a field per parameter, or a typed command. */
export function CommandField(props: {
  commands: readonly CommandDefinition[];
  command: CommandDefinition | undefined;
  config: WidgetConfig;
  onChange: (changes: WidgetConfig) => void;
  onOther: () => void;
}) {
  const { commands, command, config, onChange } = props;
  const form = command && commandForm(command);
  return (
    <>
      <SelectField
        label={t("field.widget.method")}
        value={command?.method ?? ""}
        options={commands.map(({ method, name }) => [method, name || method] as const)}
        none={t("widget.otherCommand")}
        onSelect={(method) => {
          const chosen = commands.find((candidate) => candidate.method === method);
          if (chosen === undefined) return;
          const params = paramsOf(chosen, firstValues(chosen));
          onChange({ method, params, label: chosen.name, confirm: chosen.asksFirst });
        }}
        onNone={props.onOther}
      />
      {command && form && (
        <SchemaFields
          form={form}
          values={valuesOf(command, config.params)}
          onChange={(values) => onChange({ params: paramsOf(command, values) })}
        />
      )}
    </>
  );
}
