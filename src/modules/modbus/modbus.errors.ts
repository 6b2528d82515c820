import { conflict, forbidden, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const modbusUnitNotFound = () => notFound("modbus.unit_not_found");
export const modbusDeviceTaken = () => conflict("modbus.device_taken");
export const modbusTooManyUnits = (max: number) => conflict("modbus.too_many_units", { max });
export const modbusTooManyRegisters = (max: number) => conflict("modbus.too_many_registers", { max });
export const modbusNeedsAllDevices = () => forbidden("modbus.all_devices_needed");
export const modbusSerialHostOnly = () => forbidden("modbus.serial_host_only");
export const modbusPortPath = () => invalid("modbus.port_path");
export const modbusNotConnected = () => conflict("modbus.not_connected");
export const modbusRegisterInvalid = (key: string, reason: Text) =>
  invalid("modbus.register_invalid", { key, reason });
