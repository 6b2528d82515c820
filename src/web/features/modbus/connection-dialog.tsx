import { useState } from "preact/hooks";
import { ApiError } from "../../platform/api-client.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox, Radio } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText, fieldProblem } from "../../ui/error-text.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type ModbusConnection, modbusApi } from "./modbus-api.ts";

const FRAMINGS = ["TCP", "RTU"] as const;
const FIELDS = ["name", "host", "port", "timeoutMs", "pauseMs"];

interface Props {
  readonly connection?: ModbusConnection;
  readonly onClose: () => void;
  readonly onSaved: (connection: ModbusConnection) => void;
}

/** Creates or changes a connection. */
export function ConnectionDialog({ connection, onClose, onSaved }: Props) {
  return (
    <Dialog
      title={connection ? t("modbus.editOf", { name: connection.name }) : t("modbus.create")}
      onClose={onClose}
    >
      <ConnectionForm connection={connection} onClose={onClose} onSaved={onSaved} />
    </Dialog>
  );
}

/** Returns what is wrong with one of the fields. */
function problemOf(error: unknown) {
  if (error instanceof ApiError && error.text?.code === "modbus.name_taken")
    return { field: "name", text: errorText(error) };
  return fieldProblem(error, FIELDS);
}

function ConnectionForm({
  connection,
  onClose,
  onSaved,
}: Omit<Props, "connection"> & { connection: Props["connection"] | undefined }) {
  const action = useAction();
  const [framing, setFraming] = useState(connection?.framing ?? "TCP");
  const problem = problemOf(action.error);
  const errorOf = (field: string) => (problem?.field === field ? problem.text : undefined);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const text = (name: string) => String(data.get(name) ?? "").trim();
    const fields = {
      name: text("name"),
      host: text("host"),
      port: Number(text("port")),
      framing,
      timeoutMs: Number(text("timeoutMs")),
      pauseMs: Number(text("pauseMs")),
      enabled: data.get("enabled") !== null,
    };
    action.run(async () =>
      onSaved(
        connection ? await modbusApi.update(connection.connectionId, fields) : await modbusApi.create(fields),
      ),
    );
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <AddressFields connection={connection} errorOf={errorOf} />
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-2 text-sm font-medium">{t("modbus.framing")}</legend>
        {FRAMINGS.map((name) => (
          <Radio
            key={name}
            name="framing"
            checked={name === framing}
            hint={t(`modbusFramingHint.${name}`)}
            onChange={() => setFraming(name)}
          >
            {t(`modbusFraming.${name}`)}
          </Radio>
        ))}
      </fieldset>
      <TimingFields connection={connection} errorOf={errorOf} />
      <Checkbox name="enabled" defaultChecked={connection?.enabled ?? true} hint={t("modbus.enabledHint")}>
        {t("modbus.enabled")}
      </Checkbox>
      <FormButtons
        busy={action.busy}
        {...(action.error !== undefined && !problem && { error: action.error })}
        onCancel={onClose}
      >
        {connection ? t("common.save") : t("modbus.create")}
      </FormButtons>
    </form>
  );
}

interface FieldsProps {
  readonly connection: ModbusConnection | undefined;
  readonly errorOf: (field: string) => string | undefined;
}

const AddressFields = ({ connection, errorOf }: FieldsProps) => (
  <>
    <TextField
      label={t("modbus.name")}
      error={errorOf("name")}
      name="name"
      required
      maxLength={100}
      pattern=".*\S.*"
      defaultValue={connection?.name}
      autofocus
    />
    <div class="grid gap-4 sm:grid-cols-[2fr_1fr]">
      <TextField
        label={t("modbus.host")}
        hint={t("modbus.hostHint")}
        error={errorOf("host")}
        name="host"
        required
        maxLength={253}
        pattern="\s*[^\s\/]+\s*"
        title={t("modbus.hostPattern")}
        autocapitalize="off"
        class="input reading w-full"
        defaultValue={connection?.host}
      />
      <TextField
        label={t("modbus.port")}
        error={errorOf("port")}
        name="port"
        type="number"
        required
        min={1}
        max={65_535}
        defaultValue={String(connection?.port ?? 502)}
      />
    </div>
  </>
);

const TimingFields = ({ connection, errorOf }: FieldsProps) => (
  <div class="grid gap-4 sm:grid-cols-2">
    <TextField
      label={t("modbus.timeout")}
      hint={t("modbus.timeoutHint")}
      error={errorOf("timeoutMs")}
      name="timeoutMs"
      type="number"
      required
      min={50}
      max={60_000}
      defaultValue={String(connection?.timeoutMs ?? 2_000)}
    />
    <TextField
      label={t("modbus.pause")}
      hint={t("modbus.pauseHint")}
      error={errorOf("pauseMs")}
      name="pauseMs"
      type="number"
      required
      min={0}
      max={10_000}
      defaultValue={String(connection?.pauseMs ?? 0)}
    />
  </div>
);
