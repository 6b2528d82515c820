import { BookmarkPlus } from "lucide-preact";
import { useState } from "preact/hooks";
import type { DeviceDetail } from "../../lib/api-types.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ask } from "../../ui/confirmation.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import {
  type CommandDefinition,
  commandForm,
  firstValues,
  guessCommands,
  paramsOf,
} from "../commands/command-forms.ts";
import { commandsApi, type DeviceCommand } from "../commands/commands-api.ts";
import { changeProfile, type Profile, profilesApi } from "../profiles/profiles-api.ts";

interface Props {
  readonly device: DeviceDetail;
  /** Newest commands of the device, which reveal its methods. */
  readonly sent: readonly DeviceCommand[];
  readonly onSent: () => void;
}

const nameOf = ({ name, method }: CommandDefinition) => name || method;

/** Commands in the profile of the device, and past commands, as buttons. */
export function KnownCommands(props: Props) {
  const { profileId } = props.device;
  const profile = useResource(() => profilesApi.get(profileId), [profileId]);
  return (
    <Loaded of={profile}>
      {({ commands }) => <Buttons {...props} defined={commands} onKept={profile.set} />}
    </Loaded>
  );
}

function Buttons(
  props: Props & { defined: readonly CommandDefinition[]; onKept: (profile: Profile) => void },
) {
  const { device, sent, onSent, defined, onKept } = props;
  const [open, setOpen] = useState<CommandDefinition | undefined>(undefined);
  const action = useAction();
  const guessed = guessCommands(sent, defined);
  if (defined.length + guessed.length === 0) return null;
  const send = async (command: CommandDefinition, params: JsonValue) => {
    await commandsApi.send(device.deviceId, { method: command.method, params, retries: 0 });
    toast("success", t("commands.sent"));
    onSent();
  };
  const start = (command: CommandDefinition) => {
    if (command.params !== undefined && command.params.length > 0) setOpen(command);
    else if (command.asksFirst) confirm(command, () => send(command, {}));
    else action.run(() => send(command, {}));
  };
  const confirm = (command: CommandDefinition, onConfirm: () => Promise<void>) =>
    ask({
      title: nameOf(command),
      warning: [command.description, t("commands.askFirst", { device: device.name })].join("\n").trim(),
      action: t("commands.sendGo"),
      isHarmless: true,
      onConfirm,
    });
  const keep = (command: CommandDefinition) =>
    action.run(async () => {
      const added = await changeProfile(device.profileId, ({ commands }) => ({
        commands: [...commands, command],
      }));
      onKept(added);
    });
  return (
    <section class="flex flex-col gap-2" aria-label={t("commands.known")} data-testid="known-commands">
      <ErrorNote error={action.error} />
      <ul class="flex flex-wrap gap-2">
        {[...defined, ...guessed].map((command) => {
          const isGuessed = !defined.includes(command);
          return (
            <li key={command.method} class="flex items-center">
              <button
                type="button"
                class={`btn btn-sm ${isGuessed ? "border-dashed" : ""}`}
                title={command.description ?? (isGuessed ? t("commands.sentBefore") : undefined)}
                disabled={action.busy}
                onClick={() => start(command)}
              >
                {nameOf(command)}
                {command.params !== undefined && command.params.length > 0 && "…"}
              </button>
              {isGuessed && may("profiles:write") && (
                <IconButton
                  icon={BookmarkPlus}
                  label={t("commands.keep", { name: command.method })}
                  class="btn btn-ghost btn-sm"
                  onClick={() => keep(command)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {open && (
        <CommandForm
          command={open}
          onClose={() => setOpen(undefined)}
          onSend={async (params) => {
            const sendAndClose = async () => {
              await send(open, params);
              setOpen(undefined);
            };
            if (open.asksFirst) confirm(open, sendAndClose);
            else await sendAndClose();
          }}
        />
      )}
    </section>
  );
}

function CommandForm(props: {
  command: CommandDefinition;
  onClose: () => void;
  onSend: (params: JsonValue) => Promise<void>;
}) {
  const { command, onClose, onSend } = props;
  const definition = commandForm(command);
  const form = useSchemaForm(definition, firstValues(command));
  return (
    <FormDialog
      title={nameOf(command)}
      submitText={t("commands.sendGo")}
      // As entered: devices may tell spaces apart.
      onSubmit={() => form.send(() => onSend(paramsOf(command, form.state.values)))}
      {...form.dialog}
      onClose={onClose}
    >
      {command.description && <p class="text-soft">{command.description}</p>}
      <SchemaFields form={definition} {...form.state} />
    </FormDialog>
  );
}
