import { defaultSerial, MODBUS_FRAMINGS } from "../../../lib/modbus/modbus-lists.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { me } from "../../platform/session.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { useSchemaForm } from "../../ui/use-schema-form.ts";
import type { ConnectionFormProps } from "../field/connection-page.tsx";
import { connectionForm, isSerial } from "./connection-form.ts";
import { type ModbusConnection, type ModbusConnectionInput, modbusApi } from "./modbus-api.ts";

const defaults = {
  name: "",
  host: "",
  framing: "TCP",
  port: 502,
  timeoutMs: 2_000,
  pauseMs: 0,
  enabled: true,
};

export function ModbusForm({ connection, draft, onClose, onSaved }: ConnectionFormProps<ModbusConnection>) {
  const serial = connection?.serial ?? defaultSerial;
  const form = useSchemaForm(connectionForm, { ...defaults, ...connection, serial }, draft);
  const { values, onChange } = form.state;
  // Only people of the gateway's own site may use its serial ports.
  const isOffered = me.value?.isHost === true || connection?.framing === "SERIAL";
  const submit = (e: SubmitEvent) => {
    e.preventDefault();
    form.send(async (body) => {
      const input = body as ModbusConnectionInput; // the API checks it
      onSaved(
        connection ? await modbusApi.update(connection.connectionId, input) : await modbusApi.create(input),
      );
    });
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <SchemaFields
        form={connectionForm}
        {...form.state}
        options={{ framing: MODBUS_FRAMINGS.filter((name) => name !== "SERIAL" || isOffered) }}
        // A path is no address.
        onChange={(next) => onChange(isSerial(next) === isSerial(values) ? next : { ...next, host: "" })}
      />
      <FormButtons busy={form.busy} error={form.error} onCancel={onClose}>
        {connection ? t("common.save") : t("modbus.create")}
      </FormButtons>
    </form>
  );
}
