import { conflict, detail, forbidden, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { FieldErrors } from "../field/field.errors.ts";

export const modbusErrors: FieldErrors = {
  unitNotFound: () => notFound("modbus.unit_not_found"),
  deviceTaken: () => conflict("modbus.device_taken"),
  tooManyUnits: (max) => conflict("modbus.too_many_units", { max }),
  tooManyEntries: (max) => conflict("modbus.too_many_registers", { max }),
  needsAllDevices: () => forbidden("modbus.all_devices_needed"),
  notConnected: () => conflict("modbus.not_connected"),
  keyUnknown: (key) => invalid("modbus.key_unknown", { key }),
  keyNotWritable: (key) => invalid("modbus.key_not_writable", { key }),
  csvUnreadable: (reason) => invalid("modbus.csv_unreadable", { reason }),
  disconnected: (reason) => detail("fault.modbus_disconnected", { reason }),
  readFailed: (reason) => detail("fault.modbus_read_failed", { reason }),
  mapColumn: (column) => detail("modbus_rule.column", { column }),
  keyTwice: () => detail("modbus_rule.key_twice"),
  mapEntries: (max) => detail("modbus_rule.registers", { max }),
};

export const modbusSerialHostOnly = () => forbidden("modbus.serial_host_only");
export const modbusPortPath = () => invalid("modbus.port_path");
export const modbusRegisterInvalid = (key: string, reason: Text) =>
  invalid("modbus.register_invalid", { key, reason });
