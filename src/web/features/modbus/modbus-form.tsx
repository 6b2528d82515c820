import { defaultSerial, MODBUS_FRAMINGS } from "../../../lib/modbus/modbus-lists.ts";
import { me } from "../../platform/session.ts";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { ConnectionForm, type ConnectionFormProps } from "../field/connection-form.tsx";
import { connectionForm, isSerial } from "./connection-form.ts";
import { type ModbusConnection, modbusApi } from "./modbus-api.ts";

const defaults = {
  name: "",
  host: "",
  framing: "TCP",
  port: 502,
  timeoutMs: 2_000,
  pauseMs: 0,
  enabled: true,
  serial: defaultSerial,
};

export function ModbusForm(props: ConnectionFormProps<ModbusConnection>) {
  const { connection } = props;
  // Only people of the gateway's own site may use its serial ports.
  const isOffered = me.value?.isHost === true || connection?.framing === "SERIAL";
  return (
    <ConnectionForm
      {...props}
      {...(connection && { connection: { ...connection, serial: connection.serial ?? defaultSerial } })}
      form={connectionForm}
      defaults={defaults}
      api={modbusApi}
      fields={({ values, onChange, errorOf }) => (
        <SchemaFields
          form={connectionForm}
          values={values}
          errorOf={errorOf}
          options={{ framing: MODBUS_FRAMINGS.filter((name) => name !== "SERIAL" || isOffered) }}
          // A serial path is not a host.
          onChange={(next) => onChange(isSerial(next) === isSerial(values) ? next : { ...next, host: "" })}
        />
      )}
    />
  );
}
