import { t } from "../../platform/i18n/i18n.ts";
import { addressText } from "../field/connection-state.tsx";
import type { ModbusConnection } from "./modbus-api.ts";

const EXCEPTIONS = [1, 2, 3, 4, 5, 6, 10, 11] as const;

export function exceptionText(code: number): string {
  const listed = EXCEPTIONS.find((exception) => exception === code);
  const meaning = listed === undefined ? "" : `: ${t(`modbusException.${listed}`)}`;
  return `${t("modbus.exception", { code })}${meaning}`;
}

/** Returns host and port as one text, or the path of the serial port. */
export const addressOf = (connection: Pick<ModbusConnection, "framing" | "host" | "port">): string =>
  connection.framing === "SERIAL" ? connection.host : addressText(connection);
