import { useState } from "preact/hooks";
import {
  baudRates,
  defaultSerial,
  modbusFramings,
  parities,
  stopBitCounts,
} from "../../../lib/modbus/modbus-lists.ts";
import { ApiError } from "../../platform/api-client.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { me } from "../../platform/session.ts";
import { Checkbox, Radio } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText, fieldProblem } from "../../ui/error-text.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type ModbusConnection, modbusApi } from "./modbus-api.ts";

const PORT_PATTERN = String.raw`\s*/dev/(tty[A-Za-z]+[0-9]+|serial/by-(id|path)/[\w.:+\-]+)\s*`;
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
      title={connection ? t("common.editName", { name: connection.name }) : t("modbus.create")}
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

/** Returns the settings of the serial port. */
const serialOf = (data: FormData): NonNullable<ModbusConnection["serial"]> => ({
  baudRate: baudRates.find((rate) => String(rate) === data.get("baudRate")) ?? defaultSerial.baudRate,
  parity: parities.find((parity) => parity === data.get("parity")) ?? defaultSerial.parity,
  stopBits: stopBitCounts.find((count) => String(count) === data.get("stopBits")) ?? defaultSerial.stopBits,
});

function fieldsOf(data: FormData, framing: ModbusConnection["framing"]) {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  return {
    name: text("name"),
    host: text("host"),
    framing,
    ...(framing === "SERIAL" ? { serial: serialOf(data) } : { port: Number(text("port")) }),
    timeoutMs: Number(text("timeoutMs")),
    pauseMs: Number(text("pauseMs")),
    enabled: data.get("enabled") !== null,
  };
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
    const fields = fieldsOf(new FormData(e.currentTarget), framing);
    action.run(async () =>
      onSaved(
        connection ? await modbusApi.update(connection.connectionId, fields) : await modbusApi.create(fields),
      ),
    );
  };
  // Only people of the gateway's own site may use its serial ports.
  const framings = modbusFramings.filter(
    (name) => name !== "SERIAL" || me.value?.isHost === true || connection?.framing === "SERIAL",
  );
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <TextField
        label={t("common.name")}
        error={errorOf("name")}
        name="name"
        required
        maxLength={100}
        pattern=".*\S.*"
        defaultValue={connection?.name}
        autofocus
      />
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-2 text-sm font-medium">{t("modbus.framing")}</legend>
        {framings.map((name) => (
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
      {framing === "SERIAL" ? (
        <SerialFields connection={connection} errorOf={errorOf} />
      ) : (
        <AddressFields connection={connection} errorOf={errorOf} />
      )}
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

const SerialFields = ({ connection, errorOf }: FieldsProps) => (
  <>
    <TextField
      key="path"
      label={t("modbus.path")}
      hint={t("modbus.pathHint")}
      error={errorOf("host")}
      name="host"
      required
      maxLength={253}
      pattern={PORT_PATTERN}
      title={t("modbus.pathPattern")}
      placeholder="/dev/ttyUSB0"
      autocapitalize="off"
      class="input reading w-full"
      defaultValue={connection?.framing === "SERIAL" ? connection.host : ""}
    />
    <div class="grid gap-4 sm:grid-cols-3">
      <Options
        name="baudRate"
        label={t("modbus.baudRate")}
        values={baudRates.map((rate) => [rate, String(rate)])}
        value={connection?.serial?.baudRate ?? defaultSerial.baudRate}
      />
      <Options
        name="parity"
        label={t("modbus.parity")}
        values={parities.map((parity) => [parity, t(`modbusParity.${parity}`)])}
        value={connection?.serial?.parity ?? defaultSerial.parity}
      />
      <Options
        name="stopBits"
        label={t("modbus.stopBits")}
        values={stopBitCounts.map((count) => [count, String(count)])}
        value={connection?.serial?.stopBits ?? defaultSerial.stopBits}
      />
    </div>
  </>
);

function Options<Value extends string | number>(props: {
  name: string;
  label: string;
  values: (readonly [Value, string])[];
  value: Value;
}) {
  return (
    <SelectField label={props.label} name={props.name}>
      {props.values.map(([value, text]) => (
        <option key={value} value={value} selected={value === props.value}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}

const AddressFields = ({ connection, errorOf }: FieldsProps) => (
  <div class="grid gap-4 sm:grid-cols-[2fr_1fr]">
    <TextField
      key="host"
      label={t("common.address")}
      hint={t("modbus.hostHint")}
      error={errorOf("host")}
      name="host"
      required
      maxLength={253}
      pattern="\s*[^\s\/]+\s*"
      title={t("modbus.hostPattern")}
      autocapitalize="off"
      class="input reading w-full"
      defaultValue={connection?.framing === "SERIAL" ? "" : connection?.host}
    />
    <TextField
      label={t("common.port")}
      error={errorOf("port")}
      name="port"
      type="number"
      required
      min={1}
      max={65_535}
      defaultValue={String(connection?.port ?? 502)}
    />
  </div>
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
